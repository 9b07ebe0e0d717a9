/** ZOID's call forwarding: what plug-ins and their clients are written with. */
module org.jbmi.zoid.forward {
    requires static transitive org.jspecify;

    exports org.jbmi.zoid.forward;
}
