/** The zoid daemon. */
module org.jbmi.zbmi.server {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.zbmi.engine;
    requires com.lmax.disruptor;
    requires jdk.net;
    requires org.jctools.core.jdk11;

    exports org.jbmi.zbmi.daemon;

    uses org.jbmi.zbmi.channel.CommandChannelProvider;
    uses org.jbmi.zbmi.link.ClientLinkProvider;
}
