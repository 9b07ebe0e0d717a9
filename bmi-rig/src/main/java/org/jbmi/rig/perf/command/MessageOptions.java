package org.jbmi.rig.perf.command;

import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

/** The options of {@code bmi perf} about the messages. */
final class MessageOptions {
    private static final int MAX_PENDING = 200_000;
    private static final int MAX_OUTSTANDING = 65_535;

    /** The calls that a server of the shipper accepts from one client by default. */
    static final int MAX_CALLS = 256;

    /** A server's default limit of 4 MiB and 1 KiB includes a header. */
    private static final int MAX_FORWARDED_BYTES = 4 << 20;

    private static final double MAX_RATE = 1e9;

    /** A round has at least one request of each client, and must end some time. */
    private static final double MIN_RATE = 0.1;

    private static final double DEFAULT_RATE = 10_000;

    @Option(
            names = "--pattern",
            paramLabel = "NAME",
            defaultValue = "pingpong",
            converter = PerfWords.PatternConverter.class,
            description =
                    "pingpong: an expected message there and back. rpc: an unexpected request, an"
                            + " expected reply. stream: one way. rate: requests at a fixed rate."
                            + " local: posts and tests of both sides in one thread (loopback)."
                            + " idle: nothing is sent. call, pull, push: calls of the function"
                            + " shipper that carry the bytes both ways, or move them out of the"
                            + " client's memory or into it. forward: calls of ZOID's plug-in test,"
                            + " with an array both ways. Default: ${DEFAULT-VALUE}.")
    private Pattern pattern;

    @Option(
            names = "--bytes",
            paramLabel = "N|N..N",
            defaultValue = "64",
            converter = PerfWords.SizesConverter.class,
            description = "Size of a message, or a sweep such as 1..4M; default: ${DEFAULT-VALUE}.")
    private ByteSizes sizes;

    @Option(
            names = "--outstanding",
            paramLabel = "N",
            description =
                    "Messages or calls under way for each client thread; default: 1, for stream,"
                            + " pull and push 8, for rate 64.")
    private @Nullable Integer outstanding;

    @Option(
            names = "--pending",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Unrelated receives that each side of each client thread posts before the"
                            + " measurement; default: ${DEFAULT-VALUE}.")
    private int pending;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "For the pattern rate: requests a second, all clients together; default: 10000."
                            + " The latency of each counts from the time at which it is due.")
    private @Nullable Double rate;

    @Option(names = "--verify", description = "Check every byte.")
    private boolean verify;

    @Option(
            names = "--touch",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "The receiver of a stream reads a word of each cache line where the message"
                            + " lies; on unless --no-touch is given.")
    private boolean touch;

    @Option(names = "--unexpected", description = "The pattern stream sends unexpected messages.")
    private boolean unexpected;

    /** The phase for a number of client threads; an exception says what is wrong. */
    Phase phase(int flows) {
        check();
        double each = pattern == Pattern.RATE ? (rate == null ? DEFAULT_RATE : rate) / flows : 0;
        if (pattern == Pattern.RATE && each < MIN_RATE) {
            throw new IllegalArgumentException(
                    "--rate is at least " + MIN_RATE + " for each client thread");
        }
        Phase phase =
                new Phase(
                        pattern,
                        sizes.all().getFirst(),
                        outstanding == null ? pattern.defaultOutstanding() : outstanding,
                        pending,
                        each,
                        0,
                        new Phase.Options(
                                verify, touch && pattern == Pattern.STREAM, unexpected, false));
        if (pattern == Pattern.FORWARD) {
            checkForwarded(phase, sizes);
        }
        return phase;
    }

    /**
     * Checks that a forwarded call can carry this: numbers of eight bytes, one call at a time in a
     * thread.
     */
    static void checkForwarded(Phase phase, ByteSizes sizes) {
        if (phase.outstanding() > 1 || phase.pending() > 0 || phase.options().verify()) {
            throw new IllegalArgumentException(
                    "A thread makes one forwarded call at a time, without --verify and --pending");
        }
        for (int bytes : sizes.all()) {
            if (bytes % Long.BYTES != 0 || bytes > MAX_FORWARDED_BYTES) {
                throw new IllegalArgumentException(
                        "A forwarded call carries a multiple of 8 bytes, at most "
                                + MAX_FORWARDED_BYTES);
            }
        }
    }

    private void check() {
        Numbers.between("pending", pending, 0, MAX_PENDING);
        if (outstanding != null) {
            Numbers.between("outstanding", outstanding, 1, MAX_OUTSTANDING);
        }
        if (rate != null && !(rate > 0 && rate <= MAX_RATE)) {
            throw new IllegalArgumentException(
                    "--rate is more than 0 and at most " + (long) MAX_RATE);
        }
        if (rate != null && pattern != Pattern.RATE) {
            throw new IllegalArgumentException("--rate is for --pattern rate");
        }
        if (pattern.isShipped()) {
            checkCalls();
        }
        if (pattern == Pattern.LOCAL && (outstanding != null || pending > 0 || verify)) {
            throw new IllegalArgumentException(
                    "--pattern local has no --outstanding, --pending and --verify");
        }
        if (unexpected && pattern != Pattern.STREAM) {
            throw new IllegalArgumentException("--unexpected is for --pattern stream");
        }
    }

    private void checkCalls() {
        if (outstanding != null) {
            Numbers.between("outstanding", outstanding, 1, MAX_CALLS);
        }
        if (verify) {
            throw new IllegalArgumentException("--verify is for messages, not for calls");
        }
    }

    ByteSizes sizes() {
        return sizes;
    }
}
