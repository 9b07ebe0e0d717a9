package org.jbmi.core;

import org.jspecify.annotations.Nullable;

/**
 * What the lead completes in one round of progress. It is handed over at the end of the round, with
 * one lock for each context. Completions that other threads make meanwhile are not kept back.
 * Everything here belongs to the lead, but for {@link #isMine}.
 */
final class RoundCompletions {
    /**
     * The thread whose round it is, null between rounds. Read without a lock: a thread finds itself
     * here only if it put itself here.
     */
    private @Nullable Thread lead;

    private @Nullable CompletionQueue first;

    void begin() {
        lead = Thread.currentThread();
    }

    /** Whether the calling thread is the lead in a round. */
    @SuppressWarnings("ReferenceEquality") // the very thread
    boolean isMine() {
        return lead == Thread.currentThread();
    }

    void add(CompletionQueue queue, CoreOperation operation, int error, long bytes) {
        if (queue.completeInRound(operation, error, bytes)) {
            push(queue);
        }
        queue.recorded(operation, error, bytes);
    }

    private void push(CompletionQueue queue) {
        queue.nextInRound = first;
        first = queue;
    }

    /** Hands everything over. What a failure leaves is handed over after the next round. */
    void end() {
        lead = null;
        for (CompletionQueue queue = first; queue != null; queue = first) {
            first = queue.nextInRound;
            queue.nextInRound = null;
            try {
                queue.endRound();
            } finally {
                if (queue.hasRound()) {
                    push(queue);
                }
            }
        }
    }
}
