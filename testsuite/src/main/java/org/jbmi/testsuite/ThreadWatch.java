package org.jbmi.testsuite;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds threads that a case left behind, and shows what all threads do. */
final class ThreadWatch {
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
                    "Read-Poller",
                    "Write-Poller",
                    "surefire",
                    "junit-");

    private final Set<Long> before = new HashSet<>();

    ThreadWatch() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            before.add(thread.threadId());
        }
    }

    /** {@return the names of threads that run and did not before} */
    List<String> newOnes() {
        List<String> names = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!thread.equals(Thread.currentThread())
                    && thread.isAlive()
                    && !before.contains(thread.threadId())
                    && FOREIGN.stream().noneMatch(thread.getName()::startsWith)) {
                names.add(thread.getName());
            }
        }
        return names;
    }

    /** What all threads do. */
    static String dump() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            Thread thread = entry.getKey();
            text.append('"').append(thread.getName()).append("\" ").append(thread.getState());
            text.append('\n');
            for (StackTraceElement element : entry.getValue()) {
                text.append("    at ").append(element).append('\n');
            }
        }
        return text.toString();
    }
}
