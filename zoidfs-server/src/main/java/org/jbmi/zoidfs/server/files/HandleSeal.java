package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jspecify.annotations.Nullable;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes handles and recognises forged ones. A handle begins with 4 bytes of 0, a byte for its kind,
 * and a byte for the length of its name. Then it has up to 18 bytes of name, and the first 8 bytes
 * of an HMAC-SHA256 over kind, length and name. Safe for use by any thread.
 */
final class HandleSeal {
    /** The name is the file system's own; it is valid after a restart of the server too. */
    static final byte BY_FILE_SYSTEM = 1;

    /** The name is a number that is valid until this server ends. */
    static final byte BY_NUMBER = 2;

    /** The longest name. */
    static final int MAX_NAME_BYTES = 18;

    private static final int KIND_AT = 4;
    private static final int LENGTH_AT = 5;
    private static final int NAME_AT = 6;
    private static final int CHECK_AT = 24;
    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] key;

    /** A clone of it costs far less time than a new one. */
    private final Mac prototype;

    HandleSeal(byte[] key) {
        this.key = key.clone();
        this.prototype = newMac();
    }

    private Mac newMac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every JDK has " + ALGORITHM, e);
        }
    }

    private byte[] check(byte[] handle) {
        Mac mac;
        try {
            mac = (Mac) prototype.clone();
        } catch (CloneNotSupportedException e) {
            mac = newMac();
        }
        mac.update(handle, KIND_AT, CHECK_AT - KIND_AT);
        return mac.doFinal();
    }

    /** A handle for a name. */
    FileHandle seal(byte kind, byte[] name) {
        byte[] bytes = new byte[FileHandle.SIZE_BYTES];
        bytes[KIND_AT] = kind;
        bytes[LENGTH_AT] = (byte) name.length;
        System.arraycopy(name, 0, bytes, NAME_AT, name.length);
        System.arraycopy(check(bytes), 0, bytes, CHECK_AT, FileHandle.SIZE_BYTES - CHECK_AT);
        return FileHandle.of(bytes);
    }

    /** The name in a handle of a kind; null if the handle is of another kind, or forged. */
    byte @Nullable [] open(byte kind, FileHandle handle) {
        byte[] bytes = handle.toByteArray();
        int length = bytes[LENGTH_AT];
        if (bytes[KIND_AT] != kind || length < 0 || length > MAX_NAME_BYTES) {
            return null;
        }
        byte[] expected = Arrays.copyOf(check(bytes), FileHandle.SIZE_BYTES - CHECK_AT);
        byte[] found = Arrays.copyOfRange(bytes, CHECK_AT, FileHandle.SIZE_BYTES);
        return MessageDigest.isEqual(expected, found)
                ? Arrays.copyOfRange(bytes, NAME_AT, NAME_AT + length)
                : null;
    }
}
