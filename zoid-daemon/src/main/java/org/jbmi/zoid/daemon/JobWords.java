package org.jbmi.zoid.daemon;

import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.codec.Shipped;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jbmi.zoid.forward.wire.Attendance_InCodec;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** The messages between a launcher and the server about a job. */
final class JobWords {
    private static final int MOST_MODE = 2;

    /** Linux starts no program with a longer variable; the zero byte at its end counts. */
    private static final int MOST_VALUE_BYTES = (128 << 10) - "ZOID_JOB_ARGS=".length() - 1;

    /** How long the name of a job may be: the server keeps it for each of its processes. */
    private static final int MOST_NAME = 4096;

    /** What a text costs besides its characters: two objects, and its place in a list. */
    private static final long TEXT_BYTES = 64;

    /** How much of the heap the words of one process or job may take. */
    private static final long MOST_BYTES = 8 << 20;

    /** More than sound words have in a message, where a character has up to three bytes. */
    static final int MOST_INPUT_BYTES = 16 << 20;

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

        /** At most so much of the heap; in bytes. */
        long heapBytes() {
            return JobWords.heapBytes(List.of(job, executable))
                    + JobWords.heapBytes(arguments)
                    + JobWords.heapBytes(environment);
        }

        /**
         * Whether the values can be environment variables of a script: none contains a NUL, and
         * each is short enough, a list as {@link JobHooks#joined} makes it. One job takes no more
         * of the room for all jobs than a process may.
         */
        boolean isSound() {
            return size >= 1
                    && mode >= 0
                    && mode <= MOST_MODE
                    && isName(job)
                    && heapBytes() <= MOST_BYTES
                    && Stream.of(
                                    executable,
                                    JobHooks.joined(arguments),
                                    JobHooks.joined(environment))
                            .allMatch(JobWords::isValue);
        }
    }

    private static boolean isValue(String words) {
        return isText(words) && words.getBytes(StandardCharsets.UTF_8).length <= MOST_VALUE_BYTES;
    }

    /** Whether a job can have this name. */
    static boolean isName(String words) {
        return words.length() <= MOST_NAME && isText(words);
    }

    static boolean isText(String words) {
        return words.indexOf('\0') < 0;
    }

    /** What texts take of the heap at most; in bytes. */
    private static long heapBytes(List<String> texts) {
        return texts.stream()
                .mapToLong(text -> TEXT_BYTES + (long) Character.BYTES * text.length())
                .sum();
    }

    /**
     * What a process says when it comes. The call with it is under way as long as the process
     * lives, so the program can be taken out of it. For one thread at a time.
     */
    static final class Coming {
        private final Attendance.In words;
        private List<String> program;

        Coming(Attendance.In said) {
            this.words =
                    new Attendance.In(said.key(), said.rank(), said.size(), said.job(), List.of());
            this.program = said.program();
        }

        /** Without the program. */
        Attendance.In words() {
            return words;
        }

        /** Gives the program away; empty after that. */
        List<String> takeProgram() {
            List<String> taken = program;
            program = List.of();
            return taken;
        }

        /** Whether it is short enough, and fit for scripts if the process belongs to a job. */
        boolean isSound() {
            if (heapBytes(program) > MOST_BYTES || words.job().length() > MOST_NAME) {
                return false;
            }
            return words.rank() < 0
                    || (words.rank() < words.size()
                            && isName(words.job())
                            && program.stream().allMatch(JobWords::isText));
        }
    }

    /** Reads what {@link Attendance_InCodec} writes. */
    static final class ComingCodec implements Codec<Coming> {
        static final ComingCodec INSTANCE = new ComingCodec();

        private ComingCodec() {}

        @Override
        public String signature() {
            return Attendance_InCodec.INSTANCE.signature();
        }

        @Override
        public void encode(Coming value, Encoder out) {
            throw new UnsupportedOperationException("A server only reads it.");
        }

        @Override
        public Coming decode(Decoder in) {
            return new Coming(Attendance_InCodec.INSTANCE.decode(in));
        }
    }

    /** The end of it. */
    @Shipped
    record Out(int error) {
        /** Why the server has not taken the job, a sentence or two. */
        String refusal() {
            if (error == ZoidError.EAGAIN.number()) {
                return "The server has not taken the job: the words of all its jobs are too long"
                        + " for its memory. Try again when other jobs have ended.";
            }
            if (error == ZoidError.ECANCELED.number()) {
                return "The server has not taken the job: it closes.";
            }
            return "The server has not taken the job: there is another one of its name, or a word"
                    + " of it cannot be told to programs, or its words are too long.";
        }
    }

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
