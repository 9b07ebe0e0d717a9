package org.jbmi.mempool;

import java.util.stream.Collectors;

/** Who allocated a block, and from where. */
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

    // The place that matters is the caller's, not where in this package the block was cut.
    private static boolean isOfPool(String className) {
        return className.equals(AllocationSite.class.getName())
                || className.equals(PoolAllocator.class.getName())
                || className.equals(MemoryPool.class.getName());
    }
}
