package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.ErrorCode;
import org.jbmi.spi.LinkedNode;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.pipeline.FileOperation.Piece;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** A read or write with its messages. Owned by the ordering stage. */
final class DataCall extends LinkedNode {
    /** The most buffers of one call: one for the disk while a message travels in the other. */
    private static final int DEPTH = 2;

    final Call call;
    final FileHandle handle;
    final Transfer transfer;
    final boolean writing;
    final boolean append;
    final long messages;
    final int depth;

    /** The length of each buffer. */
    long bufferBytes;

    /** How much payload memory it needs. */
    long needBytes;

    /** Out of which share of the payload memory; null before it waits for its turn. */
    Admission.@Nullable Share share;

    /** Its buffers, with room for all, so that an add needs no memory. */
    final List<DataMove> moves = new ArrayList<>(DEPTH);

    /** Bytes moved for each region of the file. */
    private final long[] moved;

    /** The end of each region in the stream of bytes. */
    private final long[] ends;

    int passes;

    /** How many newer calls have begun while this one, the oldest of its kind, waits for a pool. */
    int passedInPool;

    @Nullable FileQueue queue;
    long appendOffset = FileQueue.UNKNOWN;

    /** Whether it is answered before the data is in the file. */
    boolean writeBehind;

    boolean answered;

    /**
     * Whether one of its steps has thrown; if a second one throws, the server disconnects the
     * client.
     */
    boolean broken;

    /** Whether all its memory is free again. */
    boolean over;

    /** Whether the client is gone, or its messages are out of step: then there is no answer. */
    boolean dead;

    /** The next message that needs a buffer. */
    long nextMessage;

    /** The next message to be sent, for a read. */
    long nextToSend;

    /** Messages that arrived, for a write. */
    long arrived;

    /** Whether regions of a write overlap, so that the order of its messages decides. */
    private final boolean overlaps;

    /** The next message to be written, if regions overlap. */
    private long nextToWrite;

    DataCall(Call call) {
        this.call = call;
        this.handle = Objects.requireNonNull(call.request().handle());
        this.transfer = Objects.requireNonNull(call.request().transfer());
        this.writing = call.request().operation() == Operation.WRITE;
        this.append = writing && call.request().hints().has(Hints.ATOMIC_APPEND);
        long total = transfer.totalBytes();
        this.messages = total < 0 ? 0 : transfer.messages();
        this.bufferBytes = messages == 0 ? 0 : transfer.messageBytes(0);
        this.depth = (int) Math.min(DEPTH, messages);
        this.needBytes = need();
        int regions = transfer.fileSizes().size();
        this.moved = new long[regions];
        this.ends = new long[regions];
        check(total);
        this.overlaps =
                writing && !append && messages > 1 && ends.length > 1 && isGood() && overlap();
    }

    private boolean overlap() {
        LongList starts = transfer.fileStarts();
        LongList sizes = transfer.fileSizes();
        List<Integer> sorted =
                IntStream.range(0, ends.length)
                        .boxed()
                        .sorted(Comparator.comparingLong(starts::get))
                        .toList();
        for (int i = 1; i < sorted.size(); i++) {
            int before = sorted.get(i - 1);
            // The difference of two starts may need all 64 bits.
            long gap = starts.get(sorted.get(i)) - starts.get(before);
            if (Long.compareUnsigned(gap, sizes.get(before)) < 0) {
                return true;
            }
        }
        return false;
    }

    private void check(long total) {
        boolean startsFit = append || transfer.fileStarts().size() == transfer.fileSizes().size();
        if (total < 0 || transfer.fileSizes().sum() != total || !startsFit) {
            fail(Status.INVAL);
            return;
        }
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end += transfer.fileSizes().get(i);
            ends[i] = end;
        }
    }

    private long need() {
        return Math.max(Admission.LEAST_BYTES, depth * bufferBytes);
    }

    /**
     * Shortens the messages of a read whose messages are longer than the method allows. There are
     * as many, each as long as possible, so the client receives what it expects. The read then
     * fails.
     */
    void shortenMessages(long longest) {
        fail(Status.INVAL);
        bufferBytes = longest;
        needBytes = need();
    }

    /** The length of a message, counted from 0. */
    long messageBytes(long index) {
        return Math.min(transfer.messageBytes(index), bufferBytes);
    }

    /** Whether the number of bytes is impossible, so that no data can follow. */
    boolean hasImpossibleLength() {
        return transfer.totalBytes() < 0;
    }

    /** Whether a region ends beyond the longest file, so that its write must fail. */
    boolean endsBeyondAllFiles() {
        LongList starts = transfer.fileStarts();
        for (int i = 0; !append && i < starts.size(); i++) {
            if (starts.get(i) < 0 || starts.get(i) + transfer.fileSizes().get(i) < 0) {
                return true;
            }
        }
        return false;
    }

    void fail(int status) {
        if (call.status == Status.OK) {
            call.status = status;
        }
    }

    boolean isGood() {
        return call.status == Status.OK && !dead;
    }

    boolean allArrived() {
        return arrived == messages;
    }

    /**
     * Takes a message that waits to be written; null if none may be written now. If regions
     * overlap, the last one wins, so that each message waits for the one before. A write that has
     * failed gives all its messages back.
     */
    @Nullable DataMove takeReady() {
        for (int i = 0; i < moves.size(); i++) {
            DataMove move = moves.get(i);
            if (move.ready && (!overlaps || move.index == nextToWrite || !isGood())) {
                move.ready = false;
                nextToWrite++;
                return move;
            }
        }
        return null;
    }

    /**
     * Takes a message that may be sent now, or null. Messages are sent in their order; a read whose
     * client is gone gives all its messages back.
     */
    @Nullable DataMove takeSendable() {
        for (int i = 0; i < moves.size(); i++) {
            DataMove move = moves.get(i);
            if (move.ready && (dead || move.index == nextToSend)) {
                move.ready = false;
                nextToSend++;
                return move;
            }
        }
        return null;
    }

    /** Whether a write can go on, though one of its messages had another length than announced. */
    boolean outlives(ErrorCode code) {
        if (writing && code == ErrorCode.EMSGSIZE) {
            // The message was longer than announced. It is received, and the next one follows.
            arrived++;
            fail(Status.INVAL);
            return true;
        }
        if (writing && code == ErrorCode.EPROTO && !answered) {
            // The message was longer than announced, and is not received: the next receives would
            // get the wrong messages.
            fail(Status.INVAL);
            nextMessage = messages;
            return true;
        }
        return false;
    }

    /** The pieces of the file that make up a message. */
    List<Piece> pieces(DataMove move) {
        List<Piece> pieces = new ArrayList<>();
        long at = transfer.chunkBytes() == 0 ? 0 : move.index * transfer.chunkBytes();
        long stop = at + move.message.byteSize();
        long first = at;
        int region = Arrays.binarySearch(ends, at);
        region = region < 0 ? -region - 1 : region + 1;
        for (; at < stop && region < ends.length; region++) {
            long regionBegin = region == 0 ? 0 : ends[region - 1];
            long until = Math.min(stop, ends[region]);
            if (until > at) {
                long offset =
                        append
                                ? appendOffset + at
                                : transfer.fileStarts().get(region) + (at - regionBegin);
                pieces.add(new Piece(region, offset, move.message.asSlice(at - first, until - at)));
                at = until;
            }
        }
        return pieces;
    }

    void count(List<Piece> pieces) {
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            moved[piece.region] += piece.moved;
        }
    }

    /** How many bytes have moved; takes no memory, because a call must also end without any. */
    long movedBytes() {
        long sum = 0;
        for (long each : moved) {
            sum += each;
        }
        return sum;
    }

    /** Disconnects its client, which would wait for messages that do not come. */
    void disconnect() {
        dead = true;
        call.dropPeer();
    }

    Reply reply() {
        LongList sizes = writeBehind ? transfer.fileSizes() : LongList.of(moved);
        return call.status == Status.OK
                ? Reply.sizes(sizes, replyHints())
                : Reply.status(call.status);
    }

    private Hints replyHints() {
        Hints hints = call.request().hints();
        return append
                ? hints.replacing(
                        Hints.ATOMIC_APPEND, Hints.ATOMIC_APPEND_OFFSET, decimal(appendOffset))
                : hints;
    }

    private static String decimal(long offset) {
        String digits = Long.toString(offset);
        return "0".repeat(20 - digits.length()) + digits;
    }
}
