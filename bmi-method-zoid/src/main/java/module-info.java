/** The zoid method: many clients and one server through shared memory. */
module org.jbmi.zoid {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires org.jbmi.zbmi.engine;

    exports org.jbmi.zoid;
    exports org.jbmi.zoid.client to
            org.jbmi.simulator;
    exports org.jbmi.zoid.common to
            org.jbmi.simulator;
    exports org.jbmi.zoid.server to
            org.jbmi.simulator;

    uses org.jbmi.zbmi.channel.CommandChannelProvider;
    uses org.jbmi.zbmi.link.ClientLinkProvider;

    provides org.jbmi.spi.MethodProvider with
            org.jbmi.zoid.ZoidProvider;
}
