package org.jbmi.zoid.daemon;

import org.jbmi.shipper.codec.Shipped;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** The messages between a launcher and the server about a job. */
final class JobWords {
    private static final int MOST_MODE = 2;

    /** Linux starts no program with a longer variable; the zero byte at its end counts. */
    private static final int MOST_VALUE_BYTES = (128 << 10) - "ZOID_JOB_ARGS=".length() - 1;

    /** How much a process may say: the server keeps it as long as the process lives. */
    private static final long MOST_BYTES = 4 << 20;

    /** Before each text of a list. */
    private static final int COUNT_BYTES = 4;

    private JobWords() {}

    /** A job begins; the call is under way as long as its launcher lives. */
    @Shipped
    record In(
            String job,
            long key,
            int size,
            int mode,
            String executable,
            List<String> arguments,
            List<String> environment) {
        Name name() {
            return new Name(job, key);
        }

        /**
         * Whether the values can be environment variables of a script: none contains a NUL, and
         * each is short enough, a list as {@link JobHooks#joined} makes it.
         */
        boolean isSound() {
            return size >= 1
                    && mode >= 0
                    && mode <= MOST_MODE
                    && Stream.of(
                                    job,
                                    executable,
                                    JobHooks.joined(arguments),
                                    JobHooks.joined(environment))
                            .allMatch(JobWords::isValue);
        }
    }

    private static boolean isValue(String words) {
        return isText(words) && words.getBytes(StandardCharsets.UTF_8).length <= MOST_VALUE_BYTES;
    }

    static boolean isText(String words) {
        return words.indexOf('\0') < 0;
    }

    /** How long texts are. */
    static long bytes(List<String> texts) {
        return texts.stream().mapToLong(text -> COUNT_BYTES + text.length()).sum();
    }

    /** Whether a peer may have the server keep so much. */
    static boolean mayBeKept(long bytes) {
        return bytes <= MOST_BYTES;
    }

    /** The end of it. */
    @Shipped
    record Out(int error) {}

    /** Names a job. */
    @Shipped
    record Name(String job, long key) {}

    /**
     * A launcher asks for output, which also acknowledges what it has.
     *
     * @param job its name
     * @param key as it was begun with
     * @param taken how many batches the launcher has; {@link #NO_MORE} if it asks for no more
     */
    @Shipped
    record Fetch(String job, long key, long taken) {
        static final long NO_MORE = -1;

        Name name() {
            return new Name(job, key);
        }
    }

    /** A request without fields. */
    @Shipped
    record Nothing() {}

    /** A result: 0 or an error, with a text. */
    @Shipped
    record Answer(int error, String text) {}

    /** A piece of output: 1 for standard output, 2 for standard error. */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // read once, and never compared
    record Piece(int stream, byte[] text) {}

    /** Output in order; empty after the end. */
    @Shipped
    record Pieces(List<Piece> pieces) {}
}
