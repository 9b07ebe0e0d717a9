package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The programs that run around a job. */
class JobHooksTest {
    @TempDir Path folder;

    private final List<String> log = new ArrayList<>();

    private String script(String name, String body) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, "#!/bin/sh\ncd '" + folder + "'\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file.toString();
    }

    private JobHooks hooks(ZoidSettings settings) {
        return new JobHooks(settings, log::add, Map.of("HOME", "/home/x", "SECRET", "s"));
    }

    private static JobWords.In job(String... environment) {
        return new JobWords.In("7", 1, 4, 2, "/bin/prog", List.of("a", "b"), List.of(environment));
    }

    @Test
    void theAccountHookGetsTheNumberOfTheUserAndTheOtherRunsWhenItIsWanted() throws Exception {
        ZoidSettings settings =
                ZoidSettings.defaults()
                        .withHooks(
                                script("passwd", "echo passwd $1 >> ran"),
                                script("nat", "echo nat >> ran"),
                                false);
        Object user = Files.getAttribute(folder, "unix:uid");
        hooks(settings).before(job());
        hooks(settings).before(job("ZOID_ENABLE_NAT=1"));
        hooks(settings).before(job("ZOID_ENABLE_NAT=0"));
        hooks(settings).after(job());
        assertThat(Files.readAllLines(folder.resolve("ran")))
                .containsExactly("passwd " + user, "passwd " + user, "nat", "passwd " + user);
        assertThat(log).isEmpty();
    }

    @Test
    void aScriptIsWaitedForButNotWhatItLeavesBehind() throws Exception {
        String script =
                script("user", "(read line < fifo; echo late >> ran) &\nenv > env; echo $1 >> ran");
        assertThat(
                        new ProcessBuilder("mkfifo", folder.resolve("fifo").toString())
                                .start()
                                .waitFor())
                .isZero();
        ZoidSettings settings =
                ZoidSettings.defaults().withUserScript(script, Duration.ofMinutes(1));
        hooks(settings).before(job());
        assertThat(folder.resolve("ran")).hasContent("1");
        assertThat(Files.readAllLines(folder.resolve("env")))
                .contains("ZOID_JOB_ARGS=a:b", "ZOID_JOB_MODE=2", "HOME=/home/x", "ZOID_JOB_ID=7")
                .noneMatch(line -> line.startsWith("SECRET"));
        Files.writeString(folder.resolve("fifo"), "go\n"); // lets it end
        while (!Files.readString(folder.resolve("ran")).contains("late")) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatGoesWrongIsLogged() throws Exception {
        ZoidSettings usual = ZoidSettings.defaults();
        Duration minute = Duration.ofMinutes(1);
        hooks(usual.withUserScript("/no/such", minute)).before(job());
        hooks(usual.withUserScript(script("bad", "exit 3"), minute)).after(job());
        hooks(usual.withUserScript(script("slow", "exec sleep 60"), Duration.ofMillis(10)))
                .before(job());
        assertThat(log)
                .containsExactly(
                        "The user script /no/such is not there, or cannot be executed.",
                        "The user script ended with status 3.",
                        "The user script ran longer than 0 s; it was ended.");
    }
}
