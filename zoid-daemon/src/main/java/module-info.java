/** The server of ZOID's call forwarding, and the launcher of jobs. */
module org.jbmi.zoid.daemon {
    requires jdk.jfr;
    requires transitive org.jbmi.zoid.forward;
    requires static transitive org.jspecify;

    exports org.jbmi.zoid.daemon;

    uses org.jbmi.zoid.forward.PluginProvider;
}
