/** The zoid engine, its protocol, command channels and client links. */
module org.jbmi.zbmi.engine {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires transitive org.jbmi.mempool;
    requires org.jctools.core.jdk11;
}
