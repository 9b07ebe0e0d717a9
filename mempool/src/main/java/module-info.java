/** Shared-memory segments and the pool allocator. */
module org.jbmi.mempool {
    requires static transitive org.jspecify;

    exports org.jbmi.mempool;
    exports org.jbmi.mempool.pool;
    exports org.jbmi.mempool.os to
            org.jbmi.tcp,
            org.jbmi.tools,
            org.jbmi.zbmi.channel.chronicle,
            org.jbmi.zbmi.host,
            org.jbmi.zbmi.link,
            org.jbmi.zbmi.server,
            org.jbmi.zoid;
}
