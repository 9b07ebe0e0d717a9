package org.jbmi.tcp.io;

import org.jbmi.spi.IntrusiveList;
import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * What the selector is to report of each socket. Any thread changes it, which never fails. The lead
 * alone tells the selector, just before it asks for events.
 *
 * <p>The JDK's selector has a list of changes, too. It loses the change for whose descriptor it
 * finds no memory. If its list cannot grow for a change, the change after that breaks it. So after
 * an {@link OutOfMemoryError} the lead first lets the selector take up its list. Then it tells all
 * interests again, a few at a time, for which the list need not grow.
 */
public final class Interests {
    /** Two changes each, so that two of other methods still fit: the list holds 16 at first. */
    private static final int TOLD_AGAIN_AT_ONCE = 7;

    /** More than the JDK takes for a new socket. */
    private static final int PROBE_BYTES = 4096;

    private final IntrusiveList<Watched> changed = new IntrusiveList<>();
    private volatile boolean hasChanges;

    /** Volatile: otherwise the compiler leaves out the stores, and with them the array. */
    @SuppressWarnings("unused")
    private volatile byte @Nullable [] probe;

    /** Whether the selector may have the key of a closed socket. */
    private volatile boolean hasClosed;

    // ---- for the lead ----
    private boolean hasLost;
    private @Nullable Iterator<SelectionKey> untold;

    /** Makes one for a selector in which no socket is registered. */
    public Interests() {}

    /**
     * Adds operations to what is reported of a socket. A caller that is not the lead must wake it
     * afterwards.
     *
     * @param socket a registered one; nothing happens if it was closed meanwhile
     * @param ops as in {@link SelectionKey}
     */
    public synchronized void want(Watched socket, int ops) {
        change(socket, socket.interest | ops);
    }

    /**
     * Removes operations from what is reported of a socket. The selector may still report them
     * once.
     *
     * @param socket any
     * @param ops as in {@link SelectionKey}
     */
    public synchronized void unwant(Watched socket, int ops) {
        change(socket, socket.interest & ~ops);
    }

    private void change(Watched socket, int ops) {
        socket.interest = ops;
        if (!socket.isListed()) {
            changed.addLast(socket);
            hasChanges = true;
        }
    }

    /**
     * Fails if there is little memory, before a step in which the JDK loses a socket if it finds
     * none. Another thread may still take the memory before the step.
     *
     * @throws OutOfMemoryError without an effect
     */
    public void needMemory() {
        probe = new byte[PROBE_BYTES];
        probe = null;
    }

    /**
     * Closes a socket, and logs failures only. Its key is cancelled first, since the JDK needs
     * memory to find it. If it finds none, nobody would close the socket later.
     *
     * @param socket a registered one, or one whose registration failed
     * @param channel its channel
     */
    public void close(Watched socket, Closeable channel) {
        try {
            SelectionKey key = socket.key;
            if (key != null) {
                hasClosed = true; // the lead may find the key at once
                key.cancel();
            }
        } finally {
            hasClosed = true; // or have seen the flag before the key
            Sockets.closeQuietly(channel);
        }
    }

    /**
     * Tells the selector what has changed, and asks it for events; called by the lead. It does not
     * wait before the selector knows all changes.
     *
     * @param found gets the keys that have events
     * @param timeoutMs the longest wait; 0 for none
     * @throws OutOfMemoryError no interest is lost if the lead calls this again
     */
    public void select(Selector selector, Consumer<SelectionKey> found, long timeoutMs)
            throws IOException {
        if (hasClosed) { // the selector forgets a key that it finds no memory to remove
            needMemory();
            hasClosed = false;
        }
        try {
            if (tell() && timeoutMs > 0) {
                selector.select(found, timeoutMs);
            } else {
                selector.selectNow(found);
            }
            if (hasLost) { // now its list is empty
                untold = selector.keys().iterator();
                hasLost = false;
            }
        } catch (OutOfMemoryError e) {
            hasLost = true;
            throw e;
        }
    }

    /** Returns whether the selector was told all. */
    private boolean tell() {
        if (hasLost) {
            return false;
        }
        if (untold != null) {
            tellAgain(untold);
            return false;
        }
        if (hasChanges) {
            tellChanges();
        }
        return true;
    }

    private synchronized void tellChanges() {
        for (Watched next = changed.poll(); next != null; next = changed.poll()) {
            if (next.key != null) {
                tell(next.key, next.interest);
            }
        }
        hasChanges = false;
    }

    @SuppressWarnings("ReferenceEquality") // this very key
    private synchronized void tellAgain(Iterator<SelectionKey> keys) {
        for (int i = 0; i < TOLD_AGAIN_AT_ONCE && keys.hasNext(); i++) {
            SelectionKey key = keys.next();
            if (key.attachment() instanceof Watched own && own.key != key) {
                continue; // its registration failed: it would get the events of another socket
            }
            // Otherwise a channel of another method, which only waits to be read.
            int ops = key.attachment() instanceof Watched own ? own.interest : SelectionKey.OP_READ;
            tell(key, ops ^ key.channel().validOps()); // the JDK passes changes on only
            tell(key, ops);
        }
        untold = keys.hasNext() ? keys : null;
    }

    private static void tell(SelectionKey key, int ops) {
        try {
            if (key.isValid()) {
                key.interestOps(ops);
            }
        } catch (CancelledKeyException e) {
            // Another thread has closed it at this moment.
        }
    }
}
