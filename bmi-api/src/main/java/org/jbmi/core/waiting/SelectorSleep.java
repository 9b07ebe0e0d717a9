package org.jbmi.core.waiting;

import org.jbmi.spi.SleepPlace;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;

/**
 * The sleep on sockets: one selector for the channels of all methods. Opened when it is first
 * needed. Reading what woke it is the methods' business.
 */
final class SelectorSleep {
    private static final long NS_PER_MS = 1_000_000;

    private volatile @Nullable Selector selector;
    private volatile boolean isWakeDue;

    /**
     * Sleeps as the lead in the place of one method.
     *
     * @param own the selector in which that sleep selects, where the channels of the other methods
     *     wake it; null if it sleeps on a word
     */
    static void sleepIn(
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

    /** Sleeps as the lead. */
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
            // Without a selector the lead looks again after a short while: slower, and nothing is
            // lost. It was closed if closing could not wait for this thread any longer.
            LockSupport.parkNanos(NS_PER_MS);
        }
    }

    /** Ends the sleep, or the next one. */
    void wake() {
        Selector open = selector;
        if (open == null) {
            isWakeDue = true; // then look again: one of the two finds what the other one did
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

    private static void registerAll(Selector open, SleepPlace[] places) throws IOException {
        for (SleepPlace place : places) {
            switch (place) {
                case SleepPlace.Channel in -> register(open, in.channel());
                case SleepPlace.Word in -> register(open, in.elsewhere().get());
                case SleepPlace.Anywhere _, SleepPlace.KeptWord _, SleepPlace.OwnSelector _ -> {}
            }
        }
    }

    private static void register(Selector open, @Nullable SelectableChannel channel)
            throws IOException {
        if (channel != null && channel.isOpen() && channel.keyFor(open) == null) {
            channel.register(open, SelectionKey.OP_READ);
        }
    }
}
