package org.jbmi.zoid.daemon;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The programs that run before and after a job: the user's script, with 1 before and 0 after it,
 * and the administrator's programs. Each runs to its end. A failure is logged, and the job
 * continues.
 */
final class JobHooks {
    private static final String GONE = "its launcher has gone, or the server closes.";
    private static final String NAT = "ZOID_ENABLE_NAT";

    private final ZoidSettings settings;
    private final Consumer<String> log;
    private final Map<String, String> environment;

    JobHooks(ZoidSettings settings, Consumer<String> log, Map<String, String> environment) {
        this.settings = settings;
        this.log = log;
        this.environment = Map.copyOf(environment);
    }

    /** Runs one after the other; an interrupt ends the one that runs. */
    void before(JobWords.In job) {
        String passwd = settings.passwdHook();
        if (passwd != null) {
            run("The account hook", List.of(passwd, Long.toString(userId())), job);
        }
        String nat = settings.natHook();
        if (nat != null && translates(job)) {
            run("The address translation hook", List.of(nat), job);
        }
        script(job, "1");
    }

    void after(JobWords.In job) {
        script(job, "0");
    }

    /** Whether packets of a job's processes may leave the node. */
    boolean translates(JobWords.@Nullable In job) {
        return settings.nat() || (job != null && wantsNat(job));
    }

    private static boolean wantsNat(JobWords.In job) {
        return job.environment().stream()
                .anyMatch(each -> each.startsWith(NAT + "=") && !each.equals(NAT + "=0"));
    }

    private static long userId() {
        try {
            return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).longValue();
        } catch (IOException | UnsupportedOperationException e) {
            return -1;
        }
    }

    private void script(JobWords.In job, String when) {
        String script = settings.userScript();
        if (script == null) {
            return;
        }
        if (!Files.isExecutable(Path.of(script))) {
            log.accept("The user script " + script + " is not there, or cannot be executed.");
            return;
        }
        run("The user script", List.of(script, when), job);
    }

    /** The variables of a script; it has no others. */
    Map<String, String> variables(JobWords.In job) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("ZOID_JOB_EXEC", job.executable());
        variables.put("ZOID_JOB_ARGS", joined(job.arguments()));
        variables.put("ZOID_JOB_ENV", joined(job.environment()));
        variables.put("ZOID_JOB_ID", job.job());
        variables.put("ZOID_JOB_GLOBAL_SIZE", Integer.toString(job.size()));
        variables.put("ZOID_JOB_LOCAL_SIZE", Integer.toString(job.size()));
        variables.put("ZOID_JOB_MODE", Integer.toString(job.mode()));
        copy(variables, "SHELL", "/bin/sh");
        copy(variables, "PATH", "/usr/local/bin:/usr/bin:/bin");
        copy(variables, "USER", System.getProperty("user.name"));
        copy(variables, "HOME", System.getProperty("user.home"));
        return variables;
    }

    private void copy(Map<String, String> variables, String name, String otherwise) {
        variables.put(name, environment.getOrDefault(name, otherwise));
    }

    /** Puts a backslash before each colon and each backslash. */
    static String joined(List<String> words) {
        return String.join(
                ":", words.stream().map(w -> w.replace("\\", "\\\\").replace(":", "\\:")).toList());
    }

    private void run(String what, List<String> command, JobWords.In job) {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectInput(new File("/dev/null"))
                        .redirectOutput(Redirect.INHERIT)
                        .redirectError(Redirect.INHERIT);
        builder.environment().clear();
        builder.environment().putAll(variables(job));
        if (Thread.currentThread().isInterrupted()) {
            log.accept(what + " was not run: " + GONE);
            return;
        }
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            log.accept(what + " cannot be run: " + e.getMessage());
            return;
        }
        Duration deadline = settings.scriptDeadline();
        try {
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                end(process);
                log.accept(what + " ran longer than " + deadline.toSeconds() + " s; it was ended.");
            } else if (process.exitValue() != 0) {
                log.accept(what + " ended with status " + process.exitValue() + ".");
            }
        } catch (InterruptedException e) {
            end(process);
            log.accept(what + " was ended: " + GONE);
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends a process with its children and waits for the end, so that no two scripts run at a time.
     */
    private static void end(Process process) {
        List<ProcessHandle> all = process.descendants().toList();
        process.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join(); // short after SIGKILL, and must not be interrupted
    }
}
