package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/** Blocks in order, linked through fields of their own; a block is in one list at a time. */
final class BlockList {
    private @Nullable UnexpectedBlock first;
    private @Nullable UnexpectedBlock last;

    @Nullable UnexpectedBlock first() {
        return first;
    }

    void addLast(UnexpectedBlock block) {
        block.previous = last;
        block.next = null;
        if (last == null) {
            first = block;
        } else {
            last.next = block;
        }
        last = block;
    }

    void remove(UnexpectedBlock block) {
        UnexpectedBlock before = block.previous;
        UnexpectedBlock after = block.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        block.previous = null;
        block.next = null;
    }
}
