/** The zoid daemon. */
module org.jbmi.zbmi.server {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.zbmi.host;
    requires jdk.net;

    exports org.jbmi.zbmi.daemon;
    exports org.jbmi.zbmi.daemon.gateway;
}
