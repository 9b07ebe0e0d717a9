package org.jbmi.zoid.forward.stub;

import org.jbmi.zoid.forward.wire.Digests;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Numbers for signatures, so that two sides see at once that their interfaces differ. */
public final class Signatures {
    private Signatures() {}

    /**
     * Makes a number of a signature.
     *
     * @param signature for example {@code "read(in:i32,out:arr[2]:i8,inout:i64):i64"}
     * @return the first eight bytes of its SHA-256
     */
    public static long hash(String signature) {
        byte[] text = signature.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.wrap(Digests.sha256().digest(text)).getLong();
    }
}
