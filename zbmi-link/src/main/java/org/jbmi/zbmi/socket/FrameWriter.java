package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;

/**
 * The writing end of a link: a bounded buffer of frames and at most one payload. The payload goes
 * from its own memory directly to the channel. Not thread-safe.
 *
 * <pre>
 *   head: frames, the last of them the beginning of DATA | payload | tail: frames behind it
 * </pre>
 */
public final class FrameWriter {
    /** Room for frames, by default; twice that much while payload is under way. */
    static final int BUFFER_BYTES = 128 << 10;

    private static final int VIEWS = 16;
    private static final int ZERO_BYTES = 4 << 10;

    private ByteBuffer head;
    private ByteBuffer tail;
    private MemorySegment headMemory;
    private MemorySegment tailMemory;
    private final ByteBuffer[] parts = new ByteBuffer[VIEWS + 2];
    private final ByteBuffer none = ByteBuffer.allocate(0);
    private @Nullable PayloadCursor payload;
    private @Nullable ByteBuffer zeros;
    private long payloadLeft;
    private boolean payloadFailed;
    private long frames;

    /** With room for {@value #BUFFER_BYTES} bytes of frames. */
    public FrameWriter() {
        this(BUFFER_BYTES);
    }

    /**
     * With room of a given size.
     *
     * @param bufferBytes of frames; at least the longest one that will be taken
     */
    FrameWriter(int bufferBytes) {
        this.head = newBuffer(bufferBytes);
        this.tail = newBuffer(bufferBytes);
        this.headMemory = MemorySegment.ofBuffer(head);
        this.tailMemory = MemorySegment.ofBuffer(tail);
    }

    private static ByteBuffer newBuffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private ByteBuffer target() {
        return payloadLeft > 0 ? tail : head;
    }

    private MemorySegment targetMemory() {
        return payloadLeft > 0 ? tailMemory : headMemory;
    }

    /** Bytes of frames that can be taken now. */
    public int room() {
        return target().remaining();
    }

    /** Whether there is anything to write. */
    public boolean hasPending() {
        return head.position() > 0 || payloadLeft > 0;
    }

    /** Whether a piece of payload is under way. */
    public boolean isStreaming() {
        return payloadLeft > 0;
    }

    /** Whether the memory of the payload could not be read, so that zeros were sent. */
    public boolean hasPayloadFailed() {
        return payloadFailed;
    }

    /** All frames taken so far. */
    public long frames() {
        return frames;
    }

    private ByteBuffer begin(int length, int kind) {
        frames++;
        return target().putInt(length)
                .putInt(LinkFrame.MAGIC)
                .putInt(LinkFrame.VERSION)
                .putInt(kind);
    }

    /** Takes a goodbye; there must be room. */
    public void goodbye() {
        begin(LinkFrame.HEADER_BYTES, LinkFrame.GOODBYE);
    }

    /** Takes a frame of three words; there must be room. */
    public void note(int kind, long reference, long claim, long value) {
        begin(LinkFrame.NOTE_BYTES, kind).putLong(reference).putLong(claim).putLong(value);
    }

    /** Takes a message with eager bytes; there must be room for {@code MESSAGE_BYTES} and those. */
    public void message(Message message, MemorySegment memory, long offset, int bytes) {
        int words = message.wordCount();
        int fixed = LinkFrame.HEADER_BYTES + (1 + words) * Long.BYTES;
        ByteBuffer out = begin(fixed + bytes, LinkFrame.MESSAGE).putLong(message.header());
        for (int i = 0; i < words; i++) {
            out.putLong(message.word(i));
        }
        if (bytes > 0) {
            MemorySegment.copy(memory, offset, targetMemory(), out.position(), bytes);
            out.position(out.position() + bytes);
        }
    }

    /** Begins a piece of payload; there must be room, and none under way. */
    public void data(long reference, long claim, long position, int bytes, PayloadCursor cursor) {
        begin(LinkFrame.NOTE_BYTES + bytes, LinkFrame.DATA)
                .putLong(reference)
                .putLong(claim)
                .putLong(position);
        payload = cursor;
        payloadLeft = bytes;
        payloadFailed = false;
    }

    /**
     * Writes once.
     *
     * @return bytes written; 0 if the channel has no room
     */
    public long write(GatheringByteChannel channel) throws IOException {
        return payloadLeft > 0 ? writeAll(channel) : writeHead(channel);
    }

    private long writeHead(GatheringByteChannel channel) throws IOException {
        head.flip();
        try {
            return channel.write(head);
        } finally {
            head.compact();
        }
    }

    private long writeAll(GatheringByteChannel channel) throws IOException {
        int views = showPayload();
        long shown = 0;
        for (int i = 1; i <= views; i++) {
            shown += parts[i].remaining();
        }
        long headBytes = head.position();
        boolean withTail = shown == payloadLeft && tail.position() > 0;
        long written;
        head.flip();
        tail.flip();
        parts[0] = head;
        parts[views + 1] = withTail ? tail : none;
        try {
            written = channel.write(parts, 0, views + 2);
        } catch (IllegalStateException e) {
            payloadFailed = true; // the program freed the memory during the operation
            return 1;
        } finally {
            head.compact();
            tail.compact();
        }
        account(Math.min(shown, Math.max(0, written - headBytes)));
        return written;
    }

    private int showPayload() {
        PayloadCursor cursor = payload;
        if (cursor != null && !payloadFailed) {
            try {
                int views = cursor.window(parts, 1, payloadLeft);
                if (views > 0) {
                    return views;
                }
            } catch (IllegalStateException e) {
                // treated as none
            }
        }
        payloadFailed = true;
        ByteBuffer filler = zeros;
        if (filler == null) {
            filler = ByteBuffer.allocateDirect(ZERO_BYTES);
            zeros = filler;
        }
        filler.position(0).limit((int) Math.min(payloadLeft, ZERO_BYTES));
        parts[1] = filler;
        return 1;
    }

    private void account(long moved) {
        PayloadCursor cursor = payload;
        if (cursor != null && !payloadFailed) {
            cursor.advance(moved);
        }
        payloadLeft -= moved;
        if (payloadLeft == 0) {
            payload = null;
            ByteBuffer written = head;
            head = tail;
            tail = written;
            MemorySegment memory = headMemory;
            headMemory = tailMemory;
            tailMemory = memory;
        }
    }
}
