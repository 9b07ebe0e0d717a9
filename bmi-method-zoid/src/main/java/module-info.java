/** The zoid method: many clients and one server through shared memory. */
module org.jbmi.zoid {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires org.jbmi.zbmi.engine;
}
