package org.jbmi.tcp.wire;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;

/**
 * The two kinds of header. Both are little-endian and are followed by the payload without padding.
 *
 * <pre>
 *   standalone, 25 bytes                     OrangeFS, 24 bytes
 *   +----------------------+ 0               +----------------------+ 0
 *   | magic C8 CA 00 00    |                 | magic BF CA 00 00    |
 *   +----------------------+ 4               +----------------------+ 4
 *   | mode 2, 4 or 8       |                 | mode 2, 4 or 8       |
 *   +----------------------+ 8               +----------------------+ 8
 *   | tag                  |                 | tag, sign-extended   |
 *   +----------------------+ 12              |                      |
 *   | source hash          |                 |                      |
 *   +----------------------+ 16              +----------------------+ 16
 *   | size, 8 bytes        |                 | size, 8 bytes        |
 *   |                      |                 |                      |
 *   +----------------------+ 24              +----------------------+ 24
 *   | class                |
 *   +----------------------+ 25
 * </pre>
 */
public enum Dialect {
    /** The standalone library: with message class and source hash. */
    STANDALONE("standalone", 51_912, 25),

    /** The copy in OrangeFS: without them. */
    ORANGEFS("orangefs", 51_903, 24);

    /** The length of the magic number, which tells the dialects apart. */
    public static final int MAGIC_BYTES = 4;

    /** The longer one of the headers. */
    public static final int MAX_HEADER_BYTES = 25;

    private static final int MODE = 4;
    private static final int TAG = 8;
    private static final int HASH = 12;
    private static final int SIZE = 16;
    private static final int CLASS = 24;

    private final String label;
    private final int magic;
    private final int headerBytes;

    Dialect(String label, int magic, int headerBytes) {
        this.label = label;
        this.magic = magic;
        this.headerBytes = headerBytes;
    }

    /**
     * Its name in knobs and on the command line.
     *
     * @return {@code "standalone"} or {@code "orangefs"}
     */
    public String label() {
        return label;
    }

    /**
     * Finds a dialect by its label.
     *
     * @param label a label
     * @return the dialect
     * @throws IllegalArgumentException if there is none
     */
    public static Dialect ofLabel(String label) {
        for (Dialect dialect : values()) {
            if (dialect.label.equals(label)) {
                return dialect;
            }
        }
        throw new IllegalArgumentException("There is no dialect \"" + label + "\".");
    }

    /**
     * The dialect that a magic number belongs to.
     *
     * @param magic the first four bytes of a stream
     * @return the dialect, or null if it is none
     */
    public static @Nullable Dialect ofMagic(int magic) {
        for (Dialect dialect : values()) {
            if (dialect.magic == magic) {
                return dialect;
            }
        }
        return null;
    }

    /**
     * The length of its header.
     *
     * @return bytes
     */
    public int headerBytes() {
        return headerBytes;
    }

    /**
     * The number that every header begins with.
     *
     * @return the magic number
     */
    public int magic() {
        return magic;
    }

    /**
     * Whether it carries message class and source hash.
     *
     * @return false for OrangeFS
     */
    public boolean hasClasses() {
        return this == STANDALONE;
    }

    /**
     * Appends a header.
     *
     * @param out little-endian, with room for {@link #headerBytes}; its position moves
     * @param mode one of {@link WireMode}
     * @param tag the tag
     * @param sourceHash the hash of the own name, 0 for a client; left out where there is no field
     * @param sizeBytes length of the payload
     * @param messageClass 0 for expected messages; left out where there is no field
     */
    public void write(
            ByteBuffer out, int mode, int tag, int sourceHash, long sizeBytes, int messageClass) {
        int at = out.position();
        out.putInt(at, magic);
        out.putInt(at + MODE, mode);
        if (this == STANDALONE) {
            out.putInt(at + TAG, tag);
            out.putInt(at + HASH, sourceHash);
            out.put(at + CLASS, (byte) messageClass);
        } else {
            out.putLong(at + TAG, tag);
        }
        out.putLong(at + SIZE, sizeBytes);
        out.position(at + headerBytes);
    }

    /**
     * Reads a header.
     *
     * @param in little-endian
     * @param at where the header begins; {@link #headerBytes} are there
     * @param into gets the fields
     * @return whether the magic number is this dialect's; if not the fields mean nothing
     */
    public boolean read(ByteBuffer in, int at, WireHeader into) {
        into.mode = in.getInt(at + MODE);
        if (this == STANDALONE) {
            into.tag = in.getInt(at + TAG);
            into.sourceHash = in.getInt(at + HASH);
            // Senders leave this byte as it is for messages that are not unexpected.
            boolean significant = into.mode == WireMode.UNEXPECTED;
            into.messageClass = significant ? in.get(at + CLASS) & 0xff : 0;
        } else {
            into.tag = (int) in.getLong(at + TAG);
            into.sourceHash = 0;
            into.messageClass = 0;
        }
        into.sizeBytes = in.getLong(at + SIZE);
        return in.getInt(at) == magic;
    }
}
