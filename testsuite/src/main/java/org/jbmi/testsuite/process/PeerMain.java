package org.jbmi.testsuite.process;

import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.Fixtures;
import org.jbmi.testsuite.MethodFixture;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * A peer process: joins the environment whose coordinates are its arguments and does what the lines
 * of its input say. It answers each with {@code ok ...} or {@code failed ...}, and ends with its
 * input. The commands are the cases of {@link PeerActor#perform}.
 */
public final class PeerMain {
    private PeerMain() {}

    /**
     * Runs until the input ends.
     *
     * @param arguments the fixture's full name, then the coordinates as {@code NAME=VALUE}
     * @throws IOException if the input cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        // What the library prints must not look like an answer.
        PrintStream answers = System.out;
        System.setOut(System.err);
        MethodFixture fixture = Fixtures.find(arguments[0]);
        if (fixture == null) {
            answers.println("failed there is no fixture " + arguments[0]);
            return;
        }
        Map<String, String> coordinates = new TreeMap<>();
        for (int i = 1; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            coordinates.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
        }
        BufferedReader commands =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Environment environment = fixture.join(coordinates);
                PeerActor actor = new PeerActor(environment)) {
            answers.println("ok");
            for (String line; (line = commands.readLine()) != null; ) {
                answers.println(answer(actor, line));
            }
        }
    }

    private static String answer(PeerActor actor, String line) {
        try {
            return "ok " + actor.perform(line.split(" ", -1));
        } catch (RuntimeException | AssertionError e) {
            return "failed " + String.valueOf(e).replace('\n', ' ');
        }
    }
}
