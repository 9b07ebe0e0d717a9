package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The programs that run around a job. */
@Timeout(60)
class JobHooksTest {
    @TempDir Path folder;

    private final List<String> log = new CopyOnWriteArrayList<>();

    /** What a test that fails may leave behind. */
    @AfterEach
    void nothingIsLeft() throws IOException {
        Path left = folder.resolve("left");
        if (Files.exists(left)) {
            for (String line : Files.readAllLines(left)) {
                ProcessHandle.of(Long.parseLong(line)).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

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

    /** The script of the page, with other files: it finds the user, or does not, or is off. */
    @Test
    void theAccountScriptOfThePageFindsTheUser() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "zoid-mapping.md"));
        int start = page.indexOf("#!/bin/sh\n");
        Path site = folder.resolve("site");
        Path node = Files.writeString(folder.resolve("node"), "root:x:0:0::/:/bin/sh\n");
        String text =
                page.substring(start, page.indexOf("```", start))
                        .replace("/bgsys/iofs/etc/passwd", site.toString())
                        .replace("node=/etc/passwd", "node=" + node);
        Path script = Files.writeString(folder.resolve("account.sh"), text);
        assertThat(script.toFile().setExecutable(true)).isTrue();
        String entry = "owner:x:" + Files.getAttribute(folder, "unix:uid") + ":99::/:/bin/sh\n";
        JobHooks hooks = hooks(ZoidSettings.defaults().withHooks(script.toString(), null, false));

        Files.writeString(site, "other:x:77777:1::/:/bin/sh\n" + entry);
        hooks.before(job());
        hooks.before(job()); // who is there is not added again
        assertThat(node).hasContent("root:x:0:0::/:/bin/sh\n" + entry);
        assertThat(log).isEmpty();

        Files.writeString(node, "");
        Files.writeString(script, text.replace("#!/bin/sh\n", "#!/bin/sh\nexit 0\n"));
        hooks.before(job());
        assertThat(node).isEmptyFile();
        assertThat(log).isEmpty();

        Files.writeString(script, text);
        Files.writeString(site, "other:x:77777:1::/:/bin/sh\n");
        hooks.before(job());
        assertThat(node).isEmptyFile();
        assertThat(log).containsExactly("The account hook ended with status 1.");
    }

    @Test
    void aScriptIsWaitedForButNotWhatItLeavesBehind() throws Exception {
        String script =
                script(
                        "user",
                        "(read line < fifo; echo late >> ran) &\n"
                                + "echo $! > left; env > env; echo $1 >> ran");
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

    /** It would run on beside the next one, and a child of it beside both. */
    @Test
    void aThreadThatIsInterruptedEndsTheHookThatRunsAndStartsNoOther() throws Exception {
        ZoidSettings settings =
                ZoidSettings.defaults()
                        .withHooks(
                                script(
                                        "passwd",
                                        "sleep 600 & echo $! > left; echo $$ >> left\n"
                                                + "mv left started; cp started left; wait"),
                                script("nat", "echo nat >> ran"),
                                true)
                        .withUserScript(script("user", "echo $1 >> ran"), Duration.ofMinutes(9));
        AtomicBoolean flag = new AtomicBoolean();
        Thread runner =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    hooks(settings).before(job());
                                    flag.set(Thread.currentThread().isInterrupted());
                                });
        while (!Files.exists(folder.resolve("started"))) {
            Thread.sleep(2);
        }
        List<ProcessHandle> running =
                Files.readAllLines(folder.resolve("started")).stream()
                        .flatMap(line -> ProcessHandle.of(Long.parseLong(line)).stream())
                        .toList();
        assertThat(running).hasSize(2);
        runner.interrupt();
        runner.join();
        assertThat(flag).isTrue();
        for (ProcessHandle each : running) {
            each.onExit().get(30, TimeUnit.SECONDS);
        }
        assertThat(folder.resolve("ran")).doesNotExist();
        assertThat(log)
                .containsExactly(
                        "The account hook was ended: its launcher has gone, or the server closes.",
                        "The address translation hook was not run: its launcher has gone, or"
                                + " the server closes.",
                        "The user script was not run: its launcher has gone, or"
                                + " the server closes.");
    }

    /** Linux starts no program with a longer variable. */
    @Test
    void aJobIsSoundIfItsWordsFitIntoAVariable() throws Exception {
        ZoidSettings settings =
                ZoidSettings.defaults()
                        .withUserScript(script("user", "echo $1 >> ran"), Duration.ofMinutes(1));
        int most = (128 << 10) - "ZOID_JOB_ARGS=".length() - 1;
        JobWords.In longest = arguments("\u00e9".repeat(2), ":", "x".repeat(most - 8));
        assertThat(longest.isSound()).isTrue();
        hooks(settings).before(longest);
        assertThat(log).isEmpty();
        assertThat(folder.resolve("ran")).hasContent("1");
        assertThat(arguments("\u00e9".repeat(2), ":", "x".repeat(most - 7)).isSound()).isFalse();
        assertThat(job("x".repeat(most + 1)).isSound()).isFalse();
    }

    private static JobWords.In arguments(String... arguments) {
        return new JobWords.In("7", 1, 4, 2, "/bin/prog", List.of(arguments), List.of());
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
