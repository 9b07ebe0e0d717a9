package org.jbmi.zbmi.engine.state;

import java.security.SecureRandom;

/**
 * Hashes keys that a peer chooses, with a secret, so that a peer cannot choose keys that collide.
 */
final class SecretHash {
    private static final long FIRST = 0xbf58476d1ce4e5b9L;
    private static final long SECOND = 0x94d049bb133111ebL;

    private final long secret = new SecureRandom().nextLong();

    /** A hash of a key; all its bits may be used. */
    int of(long key) {
        long mixed = (key ^ secret) * FIRST;
        mixed = (mixed ^ mixed >>> 29 ^ secret) * SECOND;
        return (int) (mixed >>> Integer.SIZE);
    }
}
