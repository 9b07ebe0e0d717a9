package org.jbmi.shipper.codec;

import java.util.HexFormat;
import java.util.Objects;

/**
 * Names memory that a client has exposed. A process that has the handle can ask a server to pull
 * from the memory or to push into it, if the permission allows it. The handle travels in records
 * like any value, and may be passed on. Immutable.
 *
 * <p>The handle that {@code expose} returned revokes the memory when it is closed; to close a copy
 * of it that has travelled does nothing.
 *
 * <p>As bytes, little endian:
 *
 * <pre>
 *   +-----------------------------+ 0
 *   | owner: 128 bits             |  the client that exposed it
 *   +-----------------------------+ 16
 *   | key: 128 random bits        |  nobody can guess it
 *   +-----------------------------+ 32
 *   | number (8)                  |  which of that client's exposures
 *   +-----------------------------+ 40
 *   | size in bytes (8)           |
 *   +-----------------------------+ 48
 *   | permission (4) | 0 (4)      |  1 read, 2 write, 3 both
 *   +-----------------------------+ 56
 * </pre>
 */
public class BulkHandle implements AutoCloseable {
    /** What a handle takes. */
    public static final int BYTES = 56;

    private final Token owner;
    private final Token key;
    private final long number;
    private final long sizeBytes;
    private final Permission permission;

    /**
     * 128 bits: a random key, or the hash of a client's secret.
     *
     * @param high the upper half
     * @param low the lower half
     */
    public record Token(long high, long low) {
        /** Shows the first 16 bits only, so that a log shows no key. */
        @Override
        public String toString() {
            return "Token[" + HexFormat.of().toHexDigits((short) (high >>> 48)) + "...]";
        }
    }

    /**
     * Makes a handle. For the library, and for tests that forge one.
     *
     * @param owner who exposed the memory
     * @param key what proves it
     * @param number which of the owner's exposures
     * @param sizeBytes how large it is
     * @param permission what servers may do
     */
    public BulkHandle(Token owner, Token key, long number, long sizeBytes, Permission permission) {
        this.owner = owner;
        this.key = key;
        this.number = number;
        this.sizeBytes = sizeBytes;
        this.permission = permission;
    }

    /**
     * The client that exposed the memory.
     *
     * @return 128 bits of the hash of a secret of that client
     */
    public final Token owner() {
        return owner;
    }

    /**
     * Proves that the handle was not guessed.
     *
     * @return 128 random bits
     */
    public final Token key() {
        return key;
    }

    /**
     * Which of the owner's exposures it is.
     *
     * @return counted from 1
     */
    public final long number() {
        return number;
    }

    /**
     * How large the memory is.
     *
     * @return bytes
     */
    public final long sizeBytes() {
        return sizeBytes;
    }

    /**
     * What servers may do with it.
     *
     * @return the permission
     */
    public final Permission permission() {
        return permission;
    }

    /**
     * Writes it.
     *
     * @return {@link #BYTES} bytes
     */
    public final byte[] serialize() {
        Encoder out = new Encoder(BYTES);
        out.putHandle(this);
        return out.toByteArray();
    }

    /**
     * Reads one.
     *
     * @param bytes the result of {@link #serialize}
     * @return a handle
     * @throws MalformedException if these are not the bytes of a handle
     */
    public static BulkHandle deserialize(byte[] bytes) {
        Decoder in = new Decoder();
        in.reset(bytes, 0, bytes.length);
        BulkHandle handle = in.getHandle();
        in.end();
        return handle;
    }

    /** Does nothing here: only the handle that {@code expose} returned revokes. */
    @Override
    public void close() {}

    /** Handles are equal if they name the same memory with the same rights. */
    @Override
    public final boolean equals(Object other) {
        return other instanceof BulkHandle that
                && owner.equals(that.owner)
                && key.equals(that.key)
                && number == that.number
                && sizeBytes == that.sizeBytes
                && permission == that.permission;
    }

    @Override
    public final int hashCode() {
        return Objects.hash(owner, key, number);
    }

    /** Without the key. */
    @Override
    public final String toString() {
        return "BulkHandle[" + number + ", " + sizeBytes + " bytes, " + permission + "]";
    }
}
