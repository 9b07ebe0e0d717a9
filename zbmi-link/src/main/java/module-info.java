/** The peers' end of zoid: lanes, client links, command channels, and a server's door. */
module org.jbmi.zbmi.link {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.zbmi.protocol;
    requires jdk.net;

    exports org.jbmi.zbmi.attach;
    exports org.jbmi.zbmi.channel;
    exports org.jbmi.zbmi.link;
    exports org.jbmi.zbmi.socket;

    uses org.jbmi.zbmi.channel.CommandChannelProvider;

    provides org.jbmi.zbmi.channel.CommandChannelProvider with
            org.jbmi.zbmi.channel.RingCommandChannelProvider;
}
