/** The zoid engine, its protocol, command channels and client links, and what hosts it. */
module org.jbmi.zbmi.engine {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires transitive org.jbmi.mempool;
    requires com.lmax.disruptor;
    requires jdk.net;
    requires org.jctools.core.jdk11;

    exports org.jbmi.zbmi.channel;
    exports org.jbmi.zbmi.engine;
    exports org.jbmi.zbmi.host;
    exports org.jbmi.zbmi.journal;
    exports org.jbmi.zbmi.link;
    exports org.jbmi.zbmi.protocol;
    exports org.jbmi.zbmi.socket;

    uses org.jbmi.zbmi.channel.CommandChannelProvider;
    uses org.jbmi.zbmi.journal.JournalProvider;
    uses org.jbmi.zbmi.link.ClientLinkProvider;

    provides org.jbmi.zbmi.channel.CommandChannelProvider with
            org.jbmi.zbmi.channel.RingCommandChannelProvider,
            org.jbmi.zbmi.channel.mq.MqCommandChannelProvider;
    provides org.jbmi.zbmi.link.ClientLinkProvider with
            org.jbmi.zbmi.link.ShmClientLinkProvider,
            org.jbmi.zbmi.socket.SocketClientLinkProvider;
}
