package org.jbmi.zoidfs.server.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** A user with whose rights a thread accesses files. */
public record UserRights(int uid, int gid, List<Integer> groups) {
    /** Keeps a copy. */
    public UserRights {
        groups = List.copyOf(groups);
    }

    /**
     * Asks the system's {@code id} for a user.
     *
     * @param name its name or number
     * @throws IOException with a sentence if there is no such user
     */
    public static UserRights of(String name) throws IOException, InterruptedException {
        int uid = Integer.parseInt(ask("-u", name));
        int gid = Integer.parseInt(ask("-g", name));
        List<Integer> groups = Stream.of(ask("-G", name).split(" ")).map(Integer::valueOf).toList();
        return new UserRights(uid, gid, groups);
    }

    private static String ask(String option, String name) throws IOException, InterruptedException {
        Process id =
                new ProcessBuilder("id", option, "--", name)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        String answer;
        try (var out = id.getInputStream()) {
            answer = new String(out.readAllBytes(), StandardCharsets.US_ASCII).strip();
        }
        if (id.waitFor() != 0) {
            throw new IOException("There is no user " + name + ".");
        }
        return answer;
    }
}
