/** What zoid's processes say to each other: where all lies in the segment, messages, handshakes. */
module org.jbmi.zbmi.protocol {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires transitive org.jbmi.mempool;

    exports org.jbmi.zbmi.protocol;
    exports org.jbmi.zbmi.protocol.handshake;
}
