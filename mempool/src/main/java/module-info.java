/** Shared-memory segments, the pool allocator and wait words. */
module org.jbmi.mempool {
    requires static transitive org.jspecify;
}
