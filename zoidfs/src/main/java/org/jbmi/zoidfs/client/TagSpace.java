package org.jbmi.zoidfs.client;

import org.jbmi.zoidfs.protocol.Status;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The tags of all zoidfs clients of one BMI instance: no two calls under way have the same tag, so
 * each gets its own reply. Safe for use by any thread.
 */
final class TagSpace {
    /** The highest tag that C servers accept is 65 536. */
    private static final int LAST = 65_535;

    private static final int FIRST = 2;

    private final int last;
    private final Deque<Integer> free = new ArrayDeque<>();

    /** Tags of failed calls, whose replies may still arrive; the oldest first. */
    private final Deque<Integer> doubtful = new ArrayDeque<>();

    private int next = FIRST;

    TagSpace() {
        this(LAST);
    }

    /** With another highest tag. */
    TagSpace(int last) {
        this.last = last;
    }

    /**
     * Takes a tag that no call under way has. It reuses tags of failed calls last, because late
     * replies to those calls may still arrive.
     *
     * @throws ZoidfsException if all are in use
     */
    synchronized int take() throws ZoidfsException {
        Integer tag = free.poll();
        if (tag == null && next <= last) {
            return next++;
        }
        if (tag == null) {
            tag = doubtful.poll();
        }
        if (tag == null) {
            int all = last - FIRST + 1;
            throw new ZoidfsException(Status.OTHER, all + " calls are under way: no tag is free");
        }
        return tag;
    }

    /** Gives back the tag of a call that the server has answered. */
    synchronized void give(int tag) {
        free.push(tag);
    }

    /** Gives back the tag of a call that has ended without an answer. */
    synchronized void giveDoubtful(int tag) {
        doubtful.add(tag);
    }
}
