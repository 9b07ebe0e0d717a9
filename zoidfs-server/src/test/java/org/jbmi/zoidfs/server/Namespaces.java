package org.jbmi.zoidfs.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Namespaces of tests, in which a mount or a network is nobody else's and goes with its programs.
 */
final class Namespaces {
    private Namespaces() {}

    /** Skips a test where programs cannot do this, in a namespace for mounts, and says why. */
    static void assumeMountsWork(String what, String script) throws Exception {
        assume(what, List.of("unshare", "-m", "sh", "-e", "-c", script));
    }

    /** A command that runs a script where mounts are its own, and then becomes another command. */
    static List<String> withMounts(String script, List<String> command) {
        List<String> whole =
                new ArrayList<>(
                        List.of("unshare", "-m", "sh", "-e", "-c", script + "\nexec \"$@\"", "sh"));
        whole.addAll(command);
        return whole;
    }

    /** Skips a test where a command fails, and says why. */
    static void assume(String what, List<String> command) throws Exception {
        String said;
        boolean works;
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            try (var out = process.getInputStream()) {
                said = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
            works = process.waitFor() == 0;
        } catch (IOException e) {
            said = e.getMessage();
            works = false;
        }
        assumeTrue(works, what + " cannot be had here: " + said);
    }
}
