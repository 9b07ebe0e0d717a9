package org.jbmi.conformance;

import org.jbmi.BmiException;
import org.jbmi.zbmi.daemon.ZbmiDaemon;

import java.io.IOException;
import java.io.OutputStream;

/** A daemon that ends when its standard input ends. */
public final class DaemonMain {
    private DaemonMain() {}

    /**
     * Runs a daemon.
     *
     * @param knobs each as {@code NAME=VALUE}
     * @throws IOException if the input cannot be read
     */
    public static void main(String[] knobs) throws IOException {
        ZbmiDaemon.Builder builder = ZbmiDaemon.builder();
        for (String knob : knobs) {
            int equals = knob.indexOf('=');
            builder.knob(knob.substring(0, equals), knob.substring(equals + 1));
        }
        try (ZbmiDaemon daemon = builder.start()) {
            System.out.println(daemon.errors().isEmpty() ? "ready" : daemon.errors());
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (BmiException e) {
            System.out.println(e.getMessage());
        }
    }
}
