package org.jbmi.zoid.daemon;

import java.util.ArrayList;
import java.util.List;

/**
 * The output of plug-ins for a job that the launcher does not have yet. It is bounded: a thread
 * that writes more waits for the launcher. A batch stays here until the launcher says that it has
 * it.
 */
final class Output {
    private static final int MOST_BYTES = 1 << 20;
    private static final int BATCH_BYTES = 64 << 10;

    /** What a piece costs besides its text: two objects, and its place in a list. */
    private static final int PIECE_BYTES = 64;

    /** No deque: one that finds no memory to grow loses all that is in it. */
    private final List<JobWords.Piece> pieces = new ArrayList<>();

    private List<JobWords.Piece> batch = List.of();

    /** How many batches were handed out, with the present one. */
    private long batches;

    private int bytes;
    private boolean open = true;

    /** Adds a piece; false if no launcher will fetch it. */
    synchronized boolean write(int stream, byte[] text) {
        try {
            for (int at = 0; at < text.length; at += BATCH_BYTES) {
                while (open && bytes >= MOST_BYTES) {
                    wait();
                }
                if (!open) {
                    return false;
                }
                int size = Math.min(BATCH_BYTES, text.length - at);
                byte[] part = new byte[size];
                System.arraycopy(text, at, part, 0, size);
                JobWords.Piece piece = new JobWords.Piece(stream, part);
                pieces.add(piece);
                bytes += cost(piece);
                notifyAll();
            }
            return open;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Waits for pieces; an empty list after the end.
     *
     * @param taken how many batches the launcher has: if it lacks the last one, it gets that again
     */
    synchronized List<JobWords.Piece> fetch(long taken) throws InterruptedException {
        if (taken == batches) {
            for (JobWords.Piece piece : batch) {
                bytes -= cost(piece);
            }
            batch = List.of();
            notifyAll();
        }
        while (taken == batches && open && pieces.isEmpty()) {
            wait();
        }
        if (taken == batches && !pieces.isEmpty()) {
            batch = nextBatch();
            batches++;
        }
        return batch;
    }

    private static int cost(JobWords.Piece piece) {
        return PIECE_BYTES + piece.text().length;
    }

    /** Takes the first pieces out when it has a copy, so that a full heap loses none. */
    private List<JobWords.Piece> nextBatch() {
        int count = 0;
        int size = 0;
        while (count < pieces.size()) {
            size += pieces.get(count).text().length;
            if (count > 0 && size > BATCH_BYTES) {
                break;
            }
            count++;
        }
        List<JobWords.Piece> first = pieces.subList(0, count);
        List<JobWords.Piece> next = List.copyOf(first);
        first.clear();
        return next;
    }

    /** Ends the output; the launcher can still fetch the rest. */
    synchronized void close() {
        open = false;
        notifyAll();
    }
}
