package org.jbmi.rig.perf.phase;

import org.jbmi.shipper.codec.Shipped;

/**
 * One run of messages of one size.
 *
 * @param outstanding how many are under way for each client thread
 * @param pending receives that are posted before and stay pending, on each side
 * @param ratePerSecond for {@link Pattern#RATE}: requests per second of each client thread
 * @param millis how long, in milliseconds
 */
@Shipped
public record Phase(
        Pattern pattern,
        int bytes,
        int outstanding,
        int pending,
        double ratePerSecond,
        long millis,
        Options options) {

    private static final int STREAM_BYTES = 1 << 20;

    /**
     * Further wishes.
     *
     * @param touch whether the receiver of a stream reads each cache line where it lies
     * @param unexpected whether a stream is one of unexpected messages
     * @param onlyMessages whether no test calls are timed after the messages: thousands that find
     *     nothing, and each may be a system call
     */
    @Shipped
    public record Options(boolean verify, boolean touch, boolean unexpected, boolean onlyMessages) {
        /** No further wishes. */
        public static final Options NONE = new Options(false, false, false, false);

        /** {@return the wishes as bits, for {@link #of}} */
        public long bits() {
            return (verify ? 1 : 0)
                    | (touch ? 2 : 0)
                    | (unexpected ? 4 : 0)
                    | (onlyMessages ? 8 : 0);
        }

        /** The wishes of an earlier call of {@link #bits}. */
        public static Options of(long bits) {
            return new Options((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0);
        }
    }

    /** The same for another time. */
    public Phase lasting(long newMillis) {
        return new Phase(pattern, bytes, outstanding, pending, ratePerSecond, newMillis, options);
    }

    /** {@return the same phase without test calls that are timed after the messages} */
    public Phase onlyMessages() {
        Options own = new Options(options.verify, options.touch, options.unexpected, true);
        return new Phase(pattern, bytes, outstanding, pending, ratePerSecond, millis, own);
    }

    /** The same with messages of another size. */
    public Phase ofBytes(int newBytes) {
        return new Phase(pattern, newBytes, outstanding, pending, ratePerSecond, millis, options);
    }

    /**
     * The phase of another pattern that is compared with this one. It is the same, but a stream has
     * messages of at most 1 MiB and its default number of messages under way.
     */
    public Phase beside(Pattern other) {
        boolean isStream = other == Pattern.STREAM;
        return new Phase(
                other,
                isStream ? Math.min(bytes, STREAM_BYTES) : bytes,
                isStream ? other.defaultOutstanding() : outstanding,
                pending,
                ratePerSecond,
                millis,
                options);
    }

    /** The same with another number of pending receives. */
    public Phase among(int newPending) {
        return new Phase(pattern, bytes, outstanding, newPending, ratePerSecond, millis, options);
    }

    /** {@return whether the server posts receives for the requests} */
    public boolean hasExpectedRequests() {
        return pattern == Pattern.PINGPONG || (pattern == Pattern.STREAM && !options.unexpected());
    }
}
