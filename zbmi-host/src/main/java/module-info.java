/**
 * What hosts a zoid engine, in a server or a daemon: sessions, ports, liveness, counters, journal.
 */
module org.jbmi.zbmi.host {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.zbmi.engine;
    requires transitive org.jbmi.zbmi.link;
    requires com.lmax.disruptor;
    requires jdk.net;
    requires org.jctools.core.jdk11;

    exports org.jbmi.zbmi.host;
    exports org.jbmi.zbmi.host.place;
    exports org.jbmi.zbmi.host.port;
    exports org.jbmi.zbmi.host.journal;

    uses org.jbmi.zbmi.host.port.CommandPortProvider;
    uses org.jbmi.zbmi.host.journal.JournalProvider;

    provides org.jbmi.zbmi.channel.CommandChannelProvider with
            org.jbmi.zbmi.host.mq.MqCommandChannelProvider;
    provides org.jbmi.zbmi.channel.EngineHostProvider with
            org.jbmi.zbmi.host.DirectHosting.Provider;
    provides org.jbmi.zbmi.host.port.CommandPortProvider with
            org.jbmi.zbmi.host.port.RingPortProvider,
            org.jbmi.zbmi.host.mq.MqCommandChannelProvider;
}
