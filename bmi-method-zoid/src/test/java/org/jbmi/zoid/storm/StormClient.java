package org.jbmi.zoid.storm;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** Ships messages of all sizes to the server and back, and looks at what comes. */
final class StormClient {
    private static final int WINDOW = 4;
    private static final int MOST_BYTES = 200_000;
    private static final int PERIOD = 256;

    /** Requests lie in a lane, in an eager slot, or in a granted place. */
    private static final int[] MORE_BYTES = {80, 900, 6000};

    private static final long PATIENCE_MS = 60_000;
    private static final long SAY_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Set<ErrorCode> DEATHS =
            Set.of(ErrorCode.EHOSTDOWN, ErrorCode.ECANCEL, ErrorCode.ENETDOWN);

    private final BlockingQueue<String> words;
    private final Random random;
    private final Bmi bmi;
    private final CompletionContext context;
    private final PeerAddress server;
    private final Completions done = Completions.ofCapacity(1);
    private final Exchange[] window = new Exchange[WINDOW];

    /** Whence each message takes its bytes: from any of its first {@link #PERIOD} on. */
    private final MemorySegment pattern = pattern();

    private int lastTag;
    private long exchanges;
    private long saidNs;

    private static MemorySegment pattern() {
        byte[] bytes = new byte[MOST_BYTES + PERIOD];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = StormChild.patternAt(i);
        }
        return MemorySegment.ofArray(bytes);
    }

    private static final class Exchange {
        private final MemorySegment out = MemorySegment.ofArray(new byte[MOST_BYTES]);
        private final MemorySegment back = MemorySegment.ofArray(new byte[MOST_BYTES]);
        private int bytes;
        private int requestBytes;
        private long receive;
        private long send;
        private long request;
    }

    StormClient(StormSetup setup, Path directory, BlockingQueue<String> words, long seed)
            throws InterruptedException {
        this.words = words;
        this.random = new Random(seed);
        this.bmi = setup.client(Bmi.builder(), directory).open();
        this.context = bmi.openContext();
        this.server = lookup();
        for (int i = 0; i < WINDOW; i++) {
            window[i] = new Exchange();
        }
    }

    // Those before may not yet be proved dead, so that there is no room for one more.
    private PeerAddress lookup() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                return bmi.lookup("zoid://");
            } catch (BmiException e) {
                if (System.nanoTime() - end > 0) {
                    StormChild.say("WRONG cannot attach: " + e.getMessage());
                    throw e;
                }
                Thread.sleep(5);
            }
        }
    }

    void run() throws InterruptedException {
        StormChild.say("ready");
        while (true) {
            String word = words.poll();
            if (word != null && word.equals("pause")) {
                StormChild.say("paused");
                word = words.take();
            }
            if (word != null && word.equals(StormChild.END)) {
                break;
            }
            for (Exchange exchange : window) {
                begin(exchange);
            }
            boolean isGood = true;
            for (Exchange exchange : window) {
                isGood &= end(exchange);
            }
            if (!isGood) {
                Thread.sleep(2);
            }
        }
        bmi.close();
        StormChild.say("closed");
    }

    // The request goes last: a server that sees it finds the other two registered, or is not the
    // one with which they ended.
    private void begin(Exchange e) {
        boolean isSmall = random.nextInt(3) == 0;
        e.bytes = 1 + random.nextInt(isSmall ? 1000 : MOST_BYTES);
        int tag = lastTag++ & 0xffffff;
        int first = random.nextInt(PERIOD);
        MemorySegment.copy(pattern, first, e.out, 0, e.bytes);
        e.requestBytes = StormChild.REQUEST_BYTES + random.nextInt(MORE_BYTES[random.nextInt(3)]);
        MemorySegment request = MemorySegment.ofArray(new byte[e.requestBytes]);
        MemorySegment.copy(pattern, first, request, 0, e.requestBytes);
        request.set(ValueLayout.JAVA_INT_UNALIGNED, 0, e.bytes);
        request.set(ValueLayout.JAVA_INT_UNALIGNED, 4, first);
        e.receive = context.postReceive(server, e.back.asSlice(0, e.bytes), tag);
        e.send = context.postSend(server, e.out.asSlice(0, e.bytes), tag);
        boolean isWhole = e.receive > 0 && e.send >= 0;
        e.request =
                isWhole
                        ? context.postSendUnexpected(server, request, tag)
                        : ErrorCode.EHOSTDOWN.negativeValue();
    }

    private boolean end(Exchange e) {
        boolean isGood = isGood(e.request, e.requestBytes, "request");
        if (!isGood) {
            cancel(e.send);
        }
        isGood &= isGood(e.send, e.bytes, "send");
        if (!isGood) {
            cancel(e.receive);
        }
        isGood &= isGood(e.receive, e.bytes, "receive");
        if (!isGood) {
            return false;
        }
        if (e.back.asSlice(0, e.bytes).mismatch(e.out.asSlice(0, e.bytes)) != -1) {
            StormChild.say("WRONG bytes");
        }
        exchanges++;
        long now = System.nanoTime();
        if (now - saidNs > SAY_NS) {
            saidNs = now;
            StormChild.say("ok " + exchanges);
        }
        return true;
    }

    private void cancel(long result) {
        if (PostResult.isPending(result)) {
            context.cancel(result);
        }
    }

    private boolean isGood(long result, int bytes, String what) {
        long outcome = result;
        if (PostResult.isPending(result)) {
            if (context.test(result, done, PATIENCE_MS) != 1) {
                StormChild.say("WRONG hangs: " + what);
                return false;
            }
            outcome =
                    done.outcome(0).isSuccess()
                            ? done.sizeBytes(0)
                            : done.outcome(0).negativeValue();
        }
        if (outcome < 0) {
            if (!DEATHS.contains(ErrorCode.of(outcome))) {
                StormChild.say("WRONG " + what + " " + ErrorCode.of(outcome));
            }
            return false;
        }
        if (outcome != bytes) {
            StormChild.say("WRONG " + what + " of " + outcome + " bytes");
        }
        return true;
    }
}
