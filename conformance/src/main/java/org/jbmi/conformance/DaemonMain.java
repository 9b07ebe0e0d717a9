package org.jbmi.conformance;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.daemon.ZbmiDaemon;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A daemon that ends when its standard input ends. It answers each line, which is the label of a
 * counter, with the value of this counter.
 */
public final class DaemonMain {
    /** What it prints when it accepts peers. */
    static final String READY = "ready";

    /** What it prints first, before the reason, when another one serves its directory. */
    static final String BUSY = "busy: ";

    private DaemonMain() {}

    /**
     * Runs a daemon.
     *
     * @throws IOException if the input cannot be read
     */
    public static void main(String[] knobs) throws IOException {
        // What the library prints must not look like an answer.
        PrintStream answers = System.out;
        System.setOut(System.err);
        ZbmiDaemon.Builder builder = ZbmiDaemon.builder();
        for (String knob : knobs) {
            int equals = knob.indexOf('=');
            builder.knob(knob.substring(0, equals), knob.substring(equals + 1));
        }
        BufferedReader labels =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (ZbmiDaemon daemon = builder.start()) {
            answers.println(daemon.errors().isEmpty() ? READY : daemon.errors());
            for (String label; (label = labels.readLine()) != null; ) {
                answers.println(answer(daemon, label));
            }
        } catch (BmiException e) {
            answers.println((e.code() == ErrorCode.EBUSY ? BUSY : "") + e.getMessage());
        }
    }

    private static String answer(ZbmiDaemon daemon, String label) {
        try {
            return Long.toString(LocalDaemon.counter(daemon, label));
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
