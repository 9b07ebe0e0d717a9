package org.jbmi.zoid.storm;

import org.jbmi.zbmi.daemon.ZbmiDaemon;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The processes of a storm: each takes words on its input, and ends with it. */
final class StormChild {
    static final String END = "end";

    /** What a request says: how many bytes its message has, and where its own begin. */
    static final int REQUEST_BYTES = 8;

    private StormChild() {}

    public static void main(String[] arguments) throws Exception {
        StormSetup setup = StormSetup.valueOf(arguments[0]);
        Path directory = Path.of(arguments[2]);
        BlockingQueue<String> words = new LinkedBlockingQueue<>();
        Thread.ofPlatform().daemon().start(() -> read(words));
        switch (arguments[1]) {
            case "daemon" -> daemon(setup, directory, words);
            case "server" -> new StormServer(setup, directory, words).run();
            default -> new StormClient(setup, directory, words, Long.parseLong(arguments[3])).run();
        }
    }

    private static void read(BlockingQueue<String> words) {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                words.add(line);
            }
        } catch (IOException e) {
            say("WRONG input " + e);
        }
        words.add(END);
    }

    static byte patternAt(int position) {
        return (byte) (position * 31);
    }

    static void say(String line) {
        System.out.println(line);
    }

    private static void daemon(StormSetup setup, Path directory, BlockingQueue<String> words)
            throws InterruptedException {
        ZbmiDaemon.Builder builder = ZbmiDaemon.builder();
        setup.daemonKnobs(directory).forEach(builder::knob);
        try (ZbmiDaemon daemon = builder.start()) {
            say("ready");
            while (!words.take().equals(END)) {
                say("healthy " + daemon.isHealthy());
            }
        }
    }
}
