package org.jbmi.scripted;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;

/** What a scripted method sleeps on: a bell, a pipe, or a selector of its own with the pipe. */
final class ScriptedBed implements AutoCloseable {
    /** Which of them. */
    enum Kind {
        ANYWHERE,
        WORD,
        KEPT,
        CHANNEL,
        SELECTOR
    }

    private final Kind kind;
    private final Pipe pipe;
    private final @Nullable Selector selector;
    private final Object bell = new Object();
    private boolean rung;

    ScriptedBed(Kind kind, Object owner) {
        this.kind = kind;
        try {
            pipe = Pipe.open();
            pipe.source().configureBlocking(false);
            pipe.sink().configureBlocking(false);
            selector = kind == Kind.SELECTOR ? Selector.open() : null;
            if (selector != null) {
                pipe.source().register(selector, SelectionKey.OP_READ, owner);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Kind kind() {
        return kind;
    }

    Selector selector() {
        return Objects.requireNonNull(selector);
    }

    SelectableChannel channel() {
        return pipe.source();
    }

    void ring() {
        synchronized (bell) {
            rung = true;
            bell.notifyAll();
        }
    }

    /** Ends the sleep on the bell or in the selector. */
    void wake() {
        if (selector == null) {
            ring();
        } else {
            selector.wakeup();
        }
    }

    void writeByte() {
        try {
            pipe.sink().write(ByteBuffer.allocate(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void readBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(64);
        try {
            while (pipe.source().read(bytes.clear()) > 0) {}
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void sleep(long timeoutNs) {
        if (selector != null) {
            select(selector, timeoutNs);
            return;
        }
        long end = System.nanoTime() + timeoutNs;
        synchronized (bell) {
            try {
                long leftMs = upToMs(timeoutNs);
                while (!rung && leftMs > 0) {
                    bell.wait(leftMs);
                    leftMs = upToMs(end - System.nanoTime());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            rung = false;
        }
    }

    // Rounded up: a sleep rounded down to nothing would be a poll without end until the deadline.
    private static long upToMs(long ns) {
        return Math.max(0, (ns + 999_999) / 1_000_000);
    }

    private static void select(Selector selector, long timeoutNs) {
        try {
            selector.select(key -> {}, Math.max(1, upToMs(timeoutNs)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            pipe.source().close();
            pipe.sink().close();
            if (selector != null) {
                selector.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
