package org.jbmi.zoid.daemon;

import org.jbmi.shipper.codec.Shipped;

import java.util.List;

/** The messages between a launcher and the server about a job. */
final class JobWords {
    private static final int MOST_MODE = 2;

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

        /** Whether the values can be environment variables: none contains a NUL. */
        boolean isSound() {
            return size >= 1
                    && mode >= 0
                    && mode <= MOST_MODE
                    && isText(job)
                    && isText(executable)
                    && arguments.stream().allMatch(JobWords::isText)
                    && environment.stream().allMatch(JobWords::isText);
        }
    }

    static boolean isText(String words) {
        return words.indexOf('\0') < 0;
    }

    /** The end of it. */
    @Shipped
    record Out(int error) {}

    /** Names a job. */
    @Shipped
    record Name(String job, long key) {}

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
