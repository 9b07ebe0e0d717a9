package org.jbmi.simulator;

import org.jbmi.simulator.process.Dice;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An operation of a simulated program. */
final class SimOp extends Operation {
    /** The byte with which a program overwrites its buffers after an operation. */
    static final byte CANARY = (byte) 0xc5;

    /** Sizes of messages: none, the lowest bytes of a number, inline, eager, and longer. */
    private static final int[] SIZES = {0, 3, 8, 40, 60, 100, 128, 129, 300, 640, 1000};

    private static final int SHORT_SIZES = 7;

    /** Messages of so many bytes have room for their number: no world has 2 to the 24th. */
    static final int SHORTEST_NAMED = 3;

    /** The size of the receives for short messages, which share one tag. */
    static final int TERSE_ROOM = 128;

    static final int TERSE_TAG = 0;

    private static final long FIRST_ID = 1L << 62;

    final long uid;
    final SimPeer owner;
    final List<MemorySegment> buffers;

    /** Whether its buffers are blocks of the pool, which the program frees. */
    final boolean isPool;

    /** The life of the client whose queue it is in; for a client it may change during the post. */
    long life;

    /** The number of the last operation at the return of its post, if it is pending; else 0. */
    long postedAt;

    /** The time at which its post began. */
    long begunNs;

    /** The codes with which its program has cancelled it. */
    final Set<Integer> cancelCodes = new HashSet<>();

    boolean isOver;
    boolean isPending;
    boolean isTainted;
    boolean isPaired;
    int code;
    long bytes;

    SimOp(
            long uid,
            SimPeer owner,
            OperationKind kind,
            MethodAddress address,
            int tag,
            int messageClass,
            List<MemorySegment> buffers,
            boolean isPool) {
        this.uid = uid;
        this.owner = owner;
        this.buffers = buffers;
        this.isPool = isPool;
        this.kind = kind;
        this.address = address;
        this.tag = tag;
        this.messageClass = messageClass;
        this.id = FIRST_ID + uid;
        for (MemorySegment each : buffers) {
            sizeBytes += each.byteSize();
        }
        bufferCount = buffers.size();
        if (bufferCount == 1) {
            buffer = buffers.get(0);
        } else {
            list = buffers.toArray(new MemorySegment[0]);
        }
    }

    static int anySize(Dice dice) {
        return SIZES[dice.below(SIZES.length)];
    }

    /** A size that goes inside a message or in a data slot. */
    static int shortSize(Dice dice) {
        return SIZES[dice.below(SHORT_SIZES)];
    }

    void expireAt(long nanoTime) {
        hasDeadline = true;
        deadlineNs = nanoTime;
        absoluteDeadlineNs = nanoTime;
    }

    void retire() {
        id = 0;
    }

    boolean isReceive() {
        return kind() == OperationKind.RECEIVE;
    }

    /** The byte of a message at a position: first its number, then pseudo-random bytes. */
    static byte content(long uid, long at) {
        if (at < Long.BYTES) {
            return (byte) (uid >>> (8 * at));
        }
        long mixed = (uid + at) * 0x9e3779b97f4a7c15L;
        return (byte) (mixed >>> 56);
    }

    void fill() {
        long at = 0;
        for (MemorySegment each : buffers) {
            for (long i = 0; i < each.byteSize(); i++) {
                each.set(ValueLayout.JAVA_BYTE, i, content(uid, at++));
            }
        }
    }

    byte[] received(long length) {
        byte[] all = new byte[(int) length];
        int at = 0;
        for (MemorySegment each : buffers) {
            int piece = (int) Math.min(each.byteSize(), all.length - at);
            MemorySegment.copy(each, ValueLayout.JAVA_BYTE, 0, all, at, piece);
            at += piece;
        }
        return all;
    }

    void scrub() {
        for (MemorySegment each : buffers) {
            each.fill(CANARY);
        }
    }

    boolean isUntouched() {
        return isUntouchedFrom(0);
    }

    /** Whether nobody has written to the bytes behind so many. */
    boolean isUntouchedFrom(long first) {
        long before = 0;
        for (MemorySegment each : buffers) {
            for (long i = Math.max(0, first - before); i < each.byteSize(); i++) {
                if (each.get(ValueLayout.JAVA_BYTE, i) != CANARY) {
                    return false;
                }
            }
            before += each.byteSize();
        }
        return true;
    }

    static boolean isContent(long uid, byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != content(uid, i)) {
                return false;
            }
        }
        return true;
    }

    static long uidOf(byte[] bytes) {
        long uid = 0;
        for (int i = 0; i < Math.min(bytes.length, Long.BYTES); i++) {
            uid |= (bytes[i] & 0xffL) << (8 * i);
        }
        return uid;
    }

    @Override
    public String toString() {
        return kind()
                + " #"
                + uid
                + " of "
                + owner.name
                + (owner.isServer() ? " life " + (life & 0xff) : "")
                + ", tag "
                + tag()
                + ", "
                + sizeBytes;
    }

    /** Posts it as the core does: a plain send may be over at once. */
    long postTo(Method half) {
        boolean mayBe = kind() != OperationKind.RECEIVE && bufferCount() == 1 && !hasDeadline();
        long sent = mayBe ? sentAtOnceTo(half) : Method.PENDING;
        return sent == Method.PENDING ? half.post(this) : sent;
    }

    private long sentAtOnceTo(Method half) {
        return kind() == OperationKind.SEND
                ? half.sendAtOnce(address(), buffer(0), tag())
                : half.sendUnexpectedAtOnce(address(), buffer(0), tag(), messageClass());
    }
}
