package org.jbmi.mempool.pool;

import java.util.stream.Collectors;

/** The thread and the stack of an allocation. */
record AllocationSite(String threadName, String stackText) {
    static final AllocationSite UNKNOWN = new AllocationSite("", "");

    private static final int MAX_FRAMES = 24;

    static AllocationSite here() {
        String stack =
                StackWalker.getInstance()
                        .walk(
                                frames ->
                                        frames.dropWhile(f -> isOfPool(f.getClassName()))
                                                .limit(MAX_FRAMES)
                                                .map(StackWalker.StackFrame::toString)
                                                .collect(Collectors.joining("\n")));
        return new AllocationSite(Thread.currentThread().getName(), stack);
    }

    // The frames of the allocator itself say nothing about who allocates.
    private static boolean isOfPool(String className) {
        return className.equals(AllocationSite.class.getName())
                || className.equals(PoolAllocator.class.getName())
                || className.equals(MemoryPool.class.getName());
    }
}
