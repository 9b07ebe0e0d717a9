package org.jbmi.zoid.daemon;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The output of plug-ins for a job that the launcher does not have yet. It is bounded: a thread
 * that writes more waits for the launcher. A batch stays here until the launcher says that it has
 * it.
 */
final class Output {
    private static final int MOST_BYTES = 1 << 20;
    private static final int BATCH_BYTES = 64 << 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<JobWords.Piece> pieces = new ArrayDeque<>();
    private List<JobWords.Piece> batch = List.of();

    /** How many batches were handed out, with the present one. */
    private long batches;

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

    /**
     * Waits for pieces; an empty list after the end.
     *
     * @param taken how many batches the launcher has: if it lacks the last one, it gets that again
     */
    List<JobWords.Piece> fetch(long taken) throws InterruptedException {
        lock.lock();
        try {
            if (taken == batches) {
                for (JobWords.Piece piece : batch) {
                    bytes -= piece.text().length;
                }
                batch = List.of();
                changed.signalAll();
            }
            while (taken == batches && open && pieces.isEmpty()) {
                changed.await();
            }
            if (taken == batches && !pieces.isEmpty()) {
                batch = nextBatch();
                batches++;
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private List<JobWords.Piece> nextBatch() {
        List<JobWords.Piece> next = new ArrayList<>();
        int size = 0;
        JobWords.@Nullable Piece first = pieces.peekFirst();
        while (first != null && (next.isEmpty() || size + first.text().length <= BATCH_BYTES)) {
            next.add(pieces.removeFirst());
            size += first.text().length;
            first = pieces.peekFirst();
        }
        return next;
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
