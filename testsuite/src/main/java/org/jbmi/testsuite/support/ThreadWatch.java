package org.jbmi.testsuite.support;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Finds threads that a test left behind, and shows what all threads do; also virtual ones. */
public final class ThreadWatch {
    /** Threads of the virtual machine and of test runners, which may start at any time. */
    private static final List<String> FOREIGN =
            List.of(
                    "ForkJoinPool",
                    "Common-Cleaner",
                    "Cleaner-",
                    "process reaper",
                    "Attach Listener",
                    "VirtualThread-unblocker",
                    "VirtualThread-unparker",
                    "MasterPoller",
                    "SubPoller-",
                    "Read-Poller",
                    "Write-Poller",
                    "surefire",
                    "junit-");

    /** The line with which a thread begins in a dump: its id and its name. */
    private static final Pattern THREAD = Pattern.compile("(?m)^#(\\d+) \"(.*)\" ");

    /** Ids grow, so that every later thread has a larger one. */
    private final long lastId = Thread.ofPlatform().unstarted(() -> {}).threadId();

    /** Begins to watch. */
    public ThreadWatch() {}

    /** {@return the threads that run and have begun since this was made} */
    public List<String> newOnes() {
        return THREAD.matcher(dump())
                .results()
                .filter(thread -> Long.parseLong(thread.group(1)) > lastId)
                .filter(thread -> FOREIGN.stream().noneMatch(thread.group(2)::startsWith))
                .map(MatchResult::group)
                .toList();
    }

    /** {@return what all threads do} */
    public static String dump() {
        Path file =
                Path.of(System.getProperty("java.io.tmpdir"), "threads-" + UUID.randomUUID())
                        .toAbsolutePath();
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            delete(file);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
