package org.jbmi.zoidfs.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes XDR (RFC 4506) into an array that grows. Not thread-safe. */
public final class XdrWriter {
    private static final int FIRST_BYTES = 256;
    private static final char LAST_BYTE = 0xff;

    private ByteBuffer buffer = ByteBuffer.allocate(FIRST_BYTES);

    /** An empty message. */
    public XdrWriter() {}

    private ByteBuffer room(int sizeBytes) {
        if (buffer.remaining() < sizeBytes) {
            int wanted = Math.max(2 * buffer.capacity(), buffer.position() + sizeBytes);
            ByteBuffer larger = ByteBuffer.allocate(wanted);
            larger.put(buffer.flip());
            buffer = larger;
        }
        return buffer;
    }

    /** A word of 32 bits; quantities of 16 bits too. */
    public XdrWriter writeInt(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    /** A word of 64 bits. */
    public XdrWriter writeLong(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    /** Bytes without a length; a multiple of 4. */
    public XdrWriter writeOpaque(byte[] bytes) {
        room(bytes.length).put(bytes);
        return this;
    }

    /**
     * Checks a text that a program gives. Another character would become a question mark, and so
     * the text that of another file.
     *
     * @throws IllegalArgumentException if a character is no byte
     */
    static void checkBytes(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > LAST_BYTE) {
                throw new IllegalArgumentException(
                        "On the wire a text has one character for each byte; ZoidfsClient.wireText"
                                + " makes such a text of \""
                                + text
                                + '"');
            }
        }
    }

    /** A string with one byte for each character. */
    public XdrWriter writeString(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        int padding = -bytes.length & 3;
        writeInt(bytes.length);
        room(bytes.length + padding).put(bytes);
        for (int i = 0; i < padding; i++) {
            buffer.put((byte) 0);
        }
        return this;
    }

    /** A counted array. */
    public XdrWriter writeLongs(LongList values) {
        writeInt(values.size());
        for (int i = 0; i < values.size(); i++) {
            writeLong(values.get(i));
        }
        return this;
    }

    /** A copy of what was written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(buffer.array(), buffer.position());
    }
}
