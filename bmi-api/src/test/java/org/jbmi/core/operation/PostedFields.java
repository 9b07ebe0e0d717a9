package org.jbmi.core.operation;

import org.jbmi.spi.Operation;

import java.lang.foreign.MemorySegment;

/** What the core keeps in an operation, for tests that post through the API. */
public final class PostedFields {
    private PostedFields() {}

    public static long deadlineNs(Operation operation) {
        return ((CoreOperation) operation).deadlineNs();
    }

    public static MemorySegment listEntry(Operation operation, int i) {
        return ((CoreOperation) operation).listEntry(i);
    }
}
