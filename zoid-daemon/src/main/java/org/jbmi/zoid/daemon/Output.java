package org.jbmi.zoid.daemon;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The output of plug-ins for a job that the launcher has not fetched yet. It is bounded: a thread
 * that writes more waits for the launcher.
 */
final class Output {
    private static final int MOST_BYTES = 1 << 20;
    private static final int BATCH_BYTES = 64 << 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<JobWords.Piece> pieces = new ArrayDeque<>();
    private int bytes;
    private boolean open = true;

    /** Adds a piece; false if no launcher will fetch it. */
    boolean write(int stream, byte[] text) {
        lock.lock();
        try {
            for (int at = 0; at < text.length; at += BATCH_BYTES) {
                while (open && bytes >= MOST_BYTES) {
                    changed.await();
                }
                if (!open) {
                    return false;
                }
                int size = Math.min(BATCH_BYTES, text.length - at);
                byte[] part = new byte[size];
                System.arraycopy(text, at, part, 0, size);
                pieces.addLast(new JobWords.Piece(stream, part));
                bytes += size;
                changed.signalAll();
            }
            return open;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for pieces; an empty list after the end. */
    List<JobWords.Piece> fetch() throws InterruptedException {
        lock.lock();
        try {
            while (open && pieces.isEmpty()) {
                changed.await();
            }
            List<JobWords.Piece> batch = new ArrayList<>();
            int size = 0;
            JobWords.@Nullable Piece next = pieces.peekFirst();
            while (next != null && (batch.isEmpty() || size + next.text().length <= BATCH_BYTES)) {
                batch.add(pieces.removeFirst());
                size += next.text().length;
                next = pieces.peekFirst();
            }
            bytes -= size;
            changed.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the output; the launcher can still fetch the rest. */
    void close() {
        lock.lock();
        try {
            open = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
