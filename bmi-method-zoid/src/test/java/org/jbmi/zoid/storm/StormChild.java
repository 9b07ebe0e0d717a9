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

    private StormChild() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[1]);
        BlockingQueue<String> words = new LinkedBlockingQueue<>();
        Thread.ofPlatform().daemon().start(() -> read(words));
        switch (arguments[0]) {
            case "daemon" -> daemon(directory, words);
            case "server" -> new StormServer(directory, words).run();
            default -> new StormClient(directory, words, Long.parseLong(arguments[2])).run();
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

    static void say(String line) {
        System.out.println(line);
    }

    private static void daemon(Path directory, BlockingQueue<String> words)
            throws InterruptedException {
        try (ZbmiDaemon daemon =
                ZbmiDaemon.builder()
                        .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                        .knob("zbmi.segmentDirectory", directory.toString())
                        .knob("zbmi.maxClients", "8")
                        .knob("zbmi.totalBytes", "8m")
                        .start()) {
            say("ready");
            while (!words.take().equals(END)) {
                say("healthy " + daemon.isHealthy());
            }
        }
    }
}
