package org.jbmi.zbmi.host.place;

import org.jbmi.zbmi.attach.Interrupts;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * Lets the thread of a selector go on when a turn finds no memory: the thread pauses, tells the
 * selector again what to wait for, and makes the next turn. For that thread.
 *
 * <p>The first use of a class or of a text takes memory. So the constructor uses the classes that a
 * pause needs, and an error at the first use of others only loses a record.
 */
public final class MemoryShortage {
    private static final System.Logger LOG = System.getLogger(MemoryShortage.class.getName());

    /** Without memory for a turn, the thread leaves the processor to others for so long. */
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** As much as the JDK needs to accept a connection. */
    private static final int ACCEPT_BYTES = 4096;

    /** More than the end of a thread needs. */
    private static final int END_BYTES = 64 << 10;

    /** Each look for memory may take a full collection of the heap. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Clearly less than those wait who join the thread, and then take its segment away. */
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(3);

    private final Selector selector;
    private final ErrorLog errors;
    private final String sentence;
    private boolean isThere;
    private boolean isReported;

    /** Volatile: otherwise the compiler leaves out the stores, and with them the array. */
    @SuppressWarnings("UnusedVariable")
    private volatile byte @Nullable [] forAccept;

    private @Nullable OutOfMemoryError unsaid;

    /**
     * Makes one.
     *
     * @param selector of the thread
     * @param errors hears of each shortage
     * @param sentence what it hears
     */
    public MemoryShortage(Selector selector, ErrorLog errors, String sentence) {
        this.selector = selector;
        this.errors = errors;
        this.sentence = sentence;
        Interrupts.park(0);
        LOG.log(System.Logger.Level.TRACE, sentence);
    }

    /** Something other than the turn found no memory: the selector may have forgotten a change. */
    public void begin() {
        isThere = true;
    }

    /**
     * A turn found no memory: says so, once for each shortage, and pauses. What finds no memory for
     * that is said after the shortage. Throws nothing if memory lacks.
     *
     * @param error what ended the turn
     */
    public void pause(OutOfMemoryError error) {
        isThere = true;
        if (!isReported) {
            isReported = true;
            unsaid = error;
            say();
        }
        Interrupts.park(PAUSE_NS);
    }

    /**
     * Accepts a connection. The JDK takes one from the queue before it has made its objects;
     * without memory for them the peer would wait for ever.
     *
     * @param listener non-blocking
     * @return the connection; null if none waits
     * @throws OutOfMemoryError if there is no memory; mostly the peer stays in the queue, unless
     *     other threads take the memory meanwhile
     * @throws IOException if that fails
     */
    public @Nullable SocketChannel accept(ServerSocketChannel listener) throws IOException {
        forAccept = new byte[ACCEPT_BYTES];
        forAccept = null;
        return listener.accept();
    }

    private void say() {
        if (unsaid == null) {
            return;
        }
        try {
            LOG.log(System.Logger.Level.WARNING, sentence, unsaid);
            errors.record(sentence);
            unsaid = null;
        } catch (OutOfMemoryError | LinkageError e) {
            // There is no memory for the record, or for a class that it needs.
        }
    }

    /**
     * To be called in each turn before the selector is asked: after a shortage the selector is told
     * again what to wait for.
     *
     * @return whether there was a shortage, so that the turn must not wait: work may be left
     * @throws OutOfMemoryError if there still is no memory; the selector must not be asked
     */
    public boolean end() {
        if (!isThere) {
            isReported = false;
            say();
            return false;
        }
        for (SelectionKey key : selector.keys()) {
            renew(key);
        }
        isThere = false;
        return true;
    }

    // A selector forgets a change for which it finds no memory, and takes the same value later for
    // no change. A channel whose registration failed does not know its key: the key would outlive
    // it, and get the events of the next channel with the same descriptor.
    private static void renew(SelectionKey key) {
        if (!key.channel().isOpen()) {
            key.cancel();
        } else if (key.isValid()) {
            int operations = key.interestOps();
            try {
                key.interestOps(operations ^ key.channel().validOps());
            } finally {
                key.interestOps(operations);
            }
        }
    }

    /**
     * Waits until there is some memory, but not for ever. To be called before the selector is
     * closed: one that finds no memory in its close leaves its sockets open for good.
     */
    public void awaitEnd() {
        long endNs = System.nanoTime() + LONGEST_NS;
        while (!hasMemory() && System.nanoTime() - endNs < 0) {
            Interrupts.park(LOOK_NS);
        }
    }

    private static boolean hasMemory() {
        try {
            return new byte[END_BYTES].length > 0;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }
}
