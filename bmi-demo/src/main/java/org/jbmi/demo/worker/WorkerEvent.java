package org.jbmi.demo.worker;

import java.util.Locale;

/**
 * An event of a worker. As a line: the kind, two numbers and a text, separated by blanks, for
 * example {@code "read 145959730 912345678 9f86d0..."}.
 *
 * @param kind what happened
 * @param bytes how many bytes of the file are copied
 * @param nanos how long it took
 * @param text a digest or a sentence; may be empty, has no line break
 */
public record WorkerEvent(Kind kind, long bytes, long nanos, String text) {
    /** What happened. */
    public enum Kind {
        /** It is ready; the text of a server is its address. */
        READY,
        /** A transfer goes on: bytes. */
        PROGRESS,
        /** The file is at the server: bytes, nanos. */
        WROTE,
        /** The file is copied back: bytes, nanos, text is its SHA-256 in hexadecimal. */
        READ,
        /** It ends with a failure: text is a sentence. */
        FAILED,
        /** A notice for the user: text is a sentence. */
        NOTED,
        /** A failure after which it goes on: text is a sentence, or a line of a log. */
        SAID,
        /**
         * It has ended: text says how. The coordinator's side makes this event; no worker sends it.
         */
        ENDED
    }

    private static final int FIELDS = 4;

    /** Keeps a text to one line. */
    public WorkerEvent {
        text = text.replace('\n', ' ').replace('\r', ' ');
    }

    /**
     * An event without figures.
     *
     * @param kind what happened
     * @param text a sentence, or empty
     */
    public static WorkerEvent of(Kind kind, String text) {
        return new WorkerEvent(kind, 0, 0, text);
    }

    /** {@return the event as a line, without its end} */
    public String line() {
        return kind.name().toLowerCase(Locale.ROOT) + " " + bytes + " " + nanos + " " + text;
    }

    /** {@return the event of a line; for an invalid line a failure that quotes it} */
    public static WorkerEvent parse(String line) {
        String[] fields = line.split(" ", FIELDS);
        try {
            Kind kind = Kind.valueOf(fields[0].toUpperCase(Locale.ROOT));
            if (fields.length == FIELDS && kind != Kind.ENDED) {
                long bytes = Long.parseLong(fields[1]);
                long nanos = Long.parseLong(fields[2]);
                return new WorkerEvent(kind, bytes, nanos, fields[3]);
            }
            return invalid(line);
        } catch (IllegalArgumentException e) {
            return invalid(line);
        }
    }

    private static WorkerEvent invalid(String line) {
        return of(Kind.FAILED, "It wrote \"" + line + "\", which is not an event.");
    }
}
