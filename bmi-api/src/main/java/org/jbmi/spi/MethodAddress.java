package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * A method's object for a peer. It has one field of the core, by which the core finds the program's
 * {@link org.jbmi.PeerAddress} with one load.
 */
public abstract class MethodAddress {
    private volatile @Nullable Object handle;

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
}
