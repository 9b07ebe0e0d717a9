package org.jbmi.rig.perf;

import org.jbmi.testsuite.support.ChildJvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * A program that keeps to the protocol of {@code --versus-command}: one thread asks, another one
 * answers.
 */
public final class CommandPeer {
    private static final SynchronousQueue<Integer> THERE = new SynchronousQueue<>();
    private static final SynchronousQueue<Integer> BACK = new SynchronousQueue<>();

    private CommandPeer() {}

    /** A command line for it. */
    static String line() {
        return "'" + String.join("' '", ChildJvm.command(CommandPeer.class, List.of())) + "'";
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Thread.ofPlatform().daemon().start(CommandPeer::answer);
        System.out.println("# comments do not count");
        System.out.println("ready two threads and two queues");
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            run(CommandSide.number(line, "millis"));
        }
    }

    private static void answer() {
        try {
            while (true) {
                BACK.put(THERE.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(long millis) throws InterruptedException {
        long startNs = System.nanoTime();
        long endNs = startNs + TimeUnit.MILLISECONDS.toNanos(millis);
        long exchanges = 0;
        long now = startNs;
        while (now < endNs) {
            THERE.put(1);
            BACK.take();
            long after = System.nanoTime();
            if (exchanges++ < 100) {
                System.out.println("latency " + (after - now));
            }
            now = after;
        }
        System.out.println("result exchanges=" + exchanges + " elapsedNs=" + (now - startNs));
    }
}
