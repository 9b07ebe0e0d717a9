package org.jbmi.zoid.forward.wire;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Makes the digests of files and signatures. */
public final class Digests {
    private Digests() {}

    /** {@return a new digest of SHA-256} */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256.", e);
        }
    }
}
