package org.jbmi.rig.perf.baseline;

import org.HdrHistogram.Histogram;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;

import java.io.IOException;

/**
 * Round trips of which more are under way than the system keeps. One thread on each side sends
 * while it receives. Two sides that wait in a send would wait for each other.
 */
public final class Duplex {
    /** How many bytes the system keeps between two sides that do not read. */
    private static final long KEPT_BYTES = 64 << 10;

    private static final long NS_PER_MS = 1_000_000;

    private Duplex() {}

    /**
     * {@return whether both sides must send and receive at once, as the system keeps too little}
     */
    public static boolean isNeeded(Phase phase, int bytes) {
        return phase.pattern().isRoundTrip()
                && phase.outstanding() > 1
                && (long) bytes * phase.outstanding() > KEPT_BYTES;
    }

    /** {@return whether the baseline has such links, and the pattern is known here} */
    public static boolean isKnown(Baseline baseline, Phase phase) {
        return baseline.isDuplex() && phase.pattern() != Pattern.RATE;
    }

    /** The asking side; returns how many round trips it has finished. */
    static long ask(Link link, Phase phase, Buffers out, Buffers in, Histogram latencies)
            throws IOException {
        long now = System.nanoTime();
        long endNs = now + phase.millis() * NS_PER_MS;
        long[] starts = new long[phase.outstanding()];
        long begun = 0;
        long received = 0;
        Buffer sending = null;
        Buffer receiving = in.next();
        receiving.bytes().clear();
        while (now < endNs || sending != null || received < begun) {
            if (sending == null && now < endNs && begun - received < starts.length) {
                sending = out.next();
                sending.bytes().clear();
                starts[(int) (begun++ % starts.length)] = now;
            }
            int moved = 0;
            if (sending != null) {
                moved = link.sendSome(sending);
                sending = sending.bytes().hasRemaining() ? sending : null;
            }
            int taken = received < begun ? link.receiveSome(receiving) : 0;
            if (taken > 0 && !receiving.bytes().hasRemaining()) {
                now = System.nanoTime();
                latencies.recordValue(
                        Math.max(1, now - starts[(int) (received++ % starts.length)]));
                receiving = in.next();
                receiving.bytes().clear();
            }
            if (moved + taken == 0) {
                link.awaitEither(sending != null);
                now = System.nanoTime();
            }
        }
        return received;
    }

    /** The answering side, until it has sent the last message back. */
    static void answer(Link link, Buffers buffers) throws IOException {
        long received = 0;
        long sent = 0;
        boolean over = false;
        buffers.at(0).bytes().clear();
        while (!over || sent < received) {
            int moved = 0;
            if (!over && received - sent < buffers.count()) {
                Buffer in = buffers.at(received);
                moved = link.receiveSome(in);
                if (!in.bytes().hasRemaining()) {
                    over = LinkClient.isLast(in.memory());
                    in.bytes().clear(); // to be sent
                    received++;
                    if (received - sent < buffers.count()) {
                        buffers.at(received).bytes().clear();
                    }
                }
            }
            if (sent < received) {
                Buffer out = buffers.at(sent);
                moved += link.sendSome(out);
                if (!out.bytes().hasRemaining()) {
                    out.bytes().clear(); // to be received into
                    sent++;
                }
            }
            if (moved == 0) {
                link.awaitEither(sent < received);
            }
        }
    }
}
