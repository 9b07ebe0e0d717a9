/** The zoid daemon. */
module org.jbmi.zbmi.server {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.zbmi.engine;

    exports org.jbmi.zbmi.daemon;
}
