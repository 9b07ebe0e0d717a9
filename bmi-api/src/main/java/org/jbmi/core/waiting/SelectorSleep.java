package org.jbmi.core.waiting;

import org.jbmi.spi.HashMaps;
import org.jbmi.spi.SleepPlace;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The lead's sleep in one selector for the channels of all methods. The selector is opened on
 * demand. The methods read the channels.
 */
final class SelectorSleep {
    private static final long NS_PER_MS = 1_000_000;

    private volatile @Nullable Selector selector;
    private volatile boolean isWakeDue;

    /** The key of each word's channel, wherever it is registered. Only the lead uses it. */
    private final Map<SleepPlace.Word, SelectionKey> keys = HashMaps.prepared(new HashMap<>());

    /**
     * Sleeps in the sleep of one method.
     *
     * @param own the selector of that sleep, in which the channels of the other methods are
     *     registered; null if it sleeps on a word
     */
    void sleepIn(
            SleepPlace.Sleep sleep, @Nullable Selector own, SleepPlace[] places, long timeoutNs) {
        if (own != null) {
            try {
                registerAll(own, places);
            } catch (IOException | ClosedSelectorException e) {
                LockSupport.parkNanos(NS_PER_MS); // as below
                return;
            }
        }
        sleep.sleep(timeoutNs);
    }

    /** Sleeps in the selector of this object. */
    void select(SleepPlace[] places, long timeoutNs) {
        try {
            Selector open = selector();
            registerAll(open, places);
            if (isWakeDue) {
                isWakeDue = false;
                return;
            }
            open.select(Math.max(1, timeoutNs / NS_PER_MS));
            open.selectedKeys().clear();
        } catch (IOException | ClosedSelectorException e) {
            // Without a selector the lead polls again after a short while: slower, but nothing is
            // lost. A close that could not wait for this thread may have closed it.
            LockSupport.parkNanos(NS_PER_MS);
        }
    }

    /** Ends the sleep, or prevents the next one. */
    void wake() {
        Selector open = selector;
        if (open == null) {
            isWakeDue = true; // then read again: this thread or the lead sees the other's store
            open = selector;
        }
        if (open != null) {
            open.wakeup();
        }
    }

    void close() {
        Selector open = selector;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, "selector", e);
            }
        }
    }

    private Selector selector() throws IOException {
        Selector open = selector;
        if (open == null) {
            open = Selector.open();
            selector = open;
        }
        return open;
    }

    private void registerAll(Selector open, SleepPlace[] places) throws IOException {
        for (SleepPlace place : places) {
            switch (place) {
                case SleepPlace.Channel in -> register(open, in.channel());
                case SleepPlace.Word in -> register(open, in);
                case SleepPlace.Anywhere _, SleepPlace.KeptWord _, SleepPlace.OwnSelector _ -> {}
            }
        }
    }

    // A channel that is not given any more may stay open, and ready for ever.
    private void register(Selector open, SleepPlace.Word word) throws IOException {
        SelectableChannel channel = word.elsewhere().get();
        if (channel == null) {
            SelectionKey last = keys.remove(word);
            if (last != null) {
                last.cancel();
            }
            return;
        }
        SelectionKey key = register(open, channel);
        if (key != null) {
            keys.put(word, key);
        }
    }

    // Null if it is registered already.
    private static @Nullable SelectionKey register(Selector open, SelectableChannel channel)
            throws IOException {
        boolean isNew = channel.isOpen() && channel.keyFor(open) == null;
        return isNew ? channel.register(open, SelectionKey.OP_READ) : null;
    }
}
