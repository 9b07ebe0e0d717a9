/** ZOID's call forwarding: the API of plug-ins and of their clients. */
module org.jbmi.zoid.forward {
    requires transitive org.jbmi.shipper;
    requires static transitive org.jspecify;

    exports org.jbmi.zoid.forward;
    exports org.jbmi.zoid.forward.client;
    exports org.jbmi.zoid.forward.stub;
    exports org.jbmi.zoid.forward.wire to
            org.jbmi.zoid.daemon;
}
