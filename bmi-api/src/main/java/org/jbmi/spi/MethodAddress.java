package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * A method's object for a peer. It has two fields of the core. By one the core finds the program's
 * {@link org.jbmi.PeerAddress} with one load; the other tells whether the method may have forgotten
 * the object.
 */
public abstract class MethodAddress {
    private volatile @Nullable Object handle;
    private long lastDrop;

    /** For subclasses. */
    protected MethodAddress() {}

    /**
     * A name for people, for example {@code "zoid client 3 (pid 4711)"}. Any thread may call this,
     * also under a lock of the core: it takes no lock and does not call the core.
     *
     * @return never empty
     */
    public abstract String displayName();

    /**
     * See {@link org.jbmi.PeerAddress#isOwnUser}. Any thread may call this, as {@link
     * #displayName}.
     *
     * @return false if the method does not check that
     */
    public boolean isOwnUser() {
        return false;
    }

    /**
     * The core's handle. For the core only. Strings that lead to the same object share this field:
     * one handle stands in it, and the core finds the others through that one.
     *
     * @return the handle, or null while there is none
     */
    public final @Nullable Object handle() {
        return handle;
    }

    /**
     * Sets the core's handle. For the core only.
     *
     * @param newHandle the handle, or null when it was dropped
     */
    public final void handle(@Nullable Object newHandle) {
        handle = newHandle;
    }

    /**
     * The number of the last drop of a peer with this address. For the core only, under its lock.
     *
     * @return 0 if there was none
     */
    public final long lastDrop() {
        return lastDrop;
    }

    /**
     * Sets the number of the last drop of a peer with this address. For the core only, under its
     * lock.
     *
     * @param drop a number that rises with each drop of any peer
     */
    public final void lastDrop(long drop) {
        lastDrop = drop;
    }
}
