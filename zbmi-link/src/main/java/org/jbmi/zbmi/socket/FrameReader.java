package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ScatteringByteChannel;

/**
 * The reading end of a link. Payload goes from the channel straight to its memory, except for bytes
 * that were read along with earlier frames. Checks every length before it is used; allocates
 * nothing. Not thread-safe.
 */
public final class FrameReader {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int VIEWS = 16;

    private final FrameHandler handler;
    private final int maxEagerBytes;
    private final ByteBuffer in =
            ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final MemorySegment bytes = MemorySegment.ofBuffer(in.duplicate().clear());
    private final ByteBuffer[] parts = new ByteBuffer[VIEWS + 1];
    private final Message message = new Message();
    private @Nullable PayloadCursor payload;
    private long payloadLeft;
    private boolean isStored;
    private boolean isInData;
    private boolean isBlocked;
    private int start;
    private long frames;

    /**
     * A reader.
     *
     * @param maxEagerBytes most bytes that may follow a message
     */
    public FrameReader(FrameHandler handler, int maxEagerBytes) {
        this.handler = handler;
        this.maxEagerBytes = maxEagerBytes;
    }

    /** How many frames were read. */
    public long frames() {
        return frames;
    }

    /** Whether a frame waits for its handler, and nothing more is read. */
    public boolean isBlocked() {
        return isBlocked;
    }

    /**
     * Reads once and passes on the frames; also retries a frame that had to wait.
     *
     * @return bytes read; -1 at the end of the stream; 0 if there is nothing, or a frame must wait
     */
    public long read(ScatteringByteChannel channel) throws IOException {
        if (isBlocked) {
            parse();
            if (isBlocked) {
                return 0;
            }
        }
        long count = payloadLeft > 0 && isStored ? readPayload(channel) : channel.read(in);
        if (count > 0) {
            parse();
        }
        return count;
    }

    // Only while the buffer holds no bytes: all bytes before the payload were parsed.
    private long readPayload(ScatteringByteChannel channel) throws IOException {
        int views = showPayload();
        if (views == 0) {
            return channel.read(in);
        }
        long shown = 0;
        for (int i = 0; i < views; i++) {
            shown += parts[i].remaining();
        }
        boolean isWhole = shown == payloadLeft;
        parts[views] = in;
        long count;
        try {
            count = channel.read(parts, 0, isWhole ? views + 1 : views);
        } catch (IllegalStateException e) {
            isStored = false; // the program freed the memory during the operation
            return channel.read(in);
        }
        if (count > 0) {
            moved(Math.min(count, shown));
        }
        return count;
    }

    private int showPayload() {
        PayloadCursor cursor = payload;
        int views = 0;
        if (cursor != null && isStored) {
            try {
                views = cursor.window(parts, 0, payloadLeft);
            } catch (IllegalStateException e) {
                // treated as none
            }
        }
        isStored = views > 0;
        return views;
    }

    private void moved(long count) {
        PayloadCursor cursor = payload;
        if (cursor != null && isStored) {
            cursor.advance(count);
        }
        payloadLeft -= count;
        handler.onDataMoved(count);
    }

    private void parse() throws IOException {
        isBlocked = false;
        boolean goesOn = true;
        while (goesOn) {
            goesOn = isInData ? parsePayload() : parseFrame();
        }
        if (start == in.position()) {
            in.clear();
            start = 0;
        } else if (start > 0) {
            in.limit(in.position()).position(start);
            in.compact();
            start = 0;
        }
    }

    private boolean parsePayload() throws IOException {
        while (payloadLeft > 0 && start < in.position()) {
            int available = (int) Math.min(payloadLeft, in.position() - start);
            int views = showPayload();
            int count = views == 0 ? available : Math.min(available, parts[0].remaining());
            if (views > 0 && !tryPut(parts[0], count)) {
                isStored = false;
            }
            start += count;
            moved(count);
        }
        if (payloadLeft > 0) {
            return false;
        }
        isInData = false;
        payload = null;
        handler.onDataEnd(isStored);
        return true;
    }

    private boolean tryPut(ByteBuffer target, int count) {
        try {
            target.put(target.position(), in, start, count);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private boolean parseFrame() throws IOException {
        int available = in.position() - start;
        if (available < LinkFrame.HEADER_BYTES) {
            return false;
        }
        int length = in.getInt(start);
        checkMagic(in.getInt(start + 4), in.getInt(start + 8));
        int kind = in.getInt(start + 12);
        checkLength(kind, length);
        int needed = kind == LinkFrame.DATA ? LinkFrame.NOTE_BYTES : length;
        if (available < needed) {
            return false;
        }
        int body = start + LinkFrame.HEADER_BYTES;
        long reference = needed >= LinkFrame.NOTE_BYTES ? in.getLong(body) : 0;
        if (!handler.mayTake(kind, reference)) {
            isBlocked = true;
            return false;
        }
        frames++;
        start += needed;
        take(kind, length, body);
        return true;
    }

    static void checkMagic(int magic, int version) throws FrameException {
        if (magic != LinkFrame.MAGIC) {
            throw new FrameException("it speaks another protocol");
        }
        if (version != LinkFrame.VERSION) {
            throw new FrameException(
                    "it speaks version %d of the link, and this side version %d"
                            .formatted(version, LinkFrame.VERSION),
                    "it speaks another version of the link");
        }
    }

    private void checkLength(int kind, int length) throws FrameException {
        boolean isSound =
                switch (kind) {
                    case LinkFrame.MESSAGE ->
                            length >= LinkFrame.HEADER_BYTES + Long.BYTES
                                    && length <= LinkFrame.MESSAGE_BYTES + maxEagerBytes;
                    case LinkFrame.DATA ->
                            length >= LinkFrame.NOTE_BYTES && length <= LinkFrame.MAX_FRAME_BYTES;
                    case LinkFrame.GOODBYE -> length == LinkFrame.HEADER_BYTES;
                    case LinkFrame.CLAIM,
                            LinkFrame.END,
                            LinkFrame.MOVED,
                            LinkFrame.VOID,
                            LinkFrame.RECALL ->
                            length == LinkFrame.NOTE_BYTES;
                    default -> false;
                };
        if (!isSound) {
            throw new FrameException("it sent a frame of a kind or length that there is not");
        }
    }

    private void take(int kind, int length, int body) throws IOException {
        switch (kind) {
            case LinkFrame.MESSAGE -> takeMessage(length, body);
            case LinkFrame.GOODBYE -> handler.onGoodbye();
            case LinkFrame.DATA -> {
                int size = length - LinkFrame.NOTE_BYTES;
                payload =
                        handler.onData(
                                in.getLong(body),
                                in.getLong(body + 8),
                                in.getLong(body + 16),
                                size);
                isStored = payload != null;
                payloadLeft = size;
                isInData = true;
            }
            default ->
                    handler.onNote(
                            kind, in.getLong(body), in.getLong(body + 8), in.getLong(body + 16));
        }
    }

    private void takeMessage(int length, int body) throws IOException {
        int words = message.load(in.getLong(body));
        int rest = length - LinkFrame.HEADER_BYTES - (1 + words) * Long.BYTES;
        if (words < 0 || rest < 0 || rest > maxEagerBytes) {
            throw new FrameException("it sent a message that there is not");
        }
        for (int i = 0; i < words; i++) {
            message.setWord(i, in.getLong(body + (1 + i) * Long.BYTES));
        }
        handler.onMessage(message, bytes, body + (1L + words) * Long.BYTES, rest);
    }
}
