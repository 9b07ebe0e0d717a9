/** The loopback method: messages inside one process. */
module org.jbmi.loopback {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires org.jbmi.mempool;
}
