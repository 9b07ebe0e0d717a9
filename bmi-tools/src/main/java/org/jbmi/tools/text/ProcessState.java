package org.jbmi.tools.text;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The state of a process at this moment. */
public enum ProcessState {
    /** It runs, or waits for something. */
    ALIVE("runs"),
    /** A signal has stopped it. */
    STOPPED("is stopped"),
    /** A debugger has stopped it. */
    TRACED("is stopped by a debugger"),
    /** It has ended, and its parent has not collected it. */
    ENDED("has ended"),
    /** There is no such process, or this one cannot see it. */
    NONE("is not there");

    private final String words;

    ProcessState(String words) {
        this.words = words;
    }

    /**
     * Reads the state.
     *
     * @param pid the id of a process; 0 for none
     */
    public static ProcessState of(long pid) {
        String line;
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "stat"));
            line = new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            boolean isThere =
                    pid > 0 && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
            return isThere ? ALIVE : NONE;
        }
        // The name is in parentheses and may hold any character; the state follows it.
        int at = line.lastIndexOf(')') + 2;
        return switch (at < line.length() ? line.charAt(at) : '?') {
            case 'T' -> STOPPED;
            case 't' -> TRACED;
            case 'Z', 'X', 'x' -> ENDED;
            default -> ALIVE;
        };
    }

    /** {@return whether it does nothing until a signal or debugger continues it} */
    public boolean isStopped() {
        return this == STOPPED || this == TRACED;
    }

    /** {@return the state in words that follow the name of the process} */
    public String words() {
        return words;
    }
}
