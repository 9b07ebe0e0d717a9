/** Chronicle Queue for the zoid daemon: a command channel, and what keeps its journal. */
module org.jbmi.zbmi.channel.chronicle {
    requires static transitive org.jspecify;
    requires org.jbmi.zbmi.host;
    requires chronicle.bytes;
    requires chronicle.core;
    requires chronicle.queue;
    requires chronicle.wire;

    provides org.jbmi.zbmi.channel.CommandChannelProvider with
            org.jbmi.zbmi.channel.chronicle.ChronicleCommandChannelProvider;
    provides org.jbmi.zbmi.host.port.CommandPortProvider with
            org.jbmi.zbmi.channel.chronicle.ChronicleCommandChannelProvider;
    provides org.jbmi.zbmi.host.journal.JournalProvider with
            org.jbmi.zbmi.channel.chronicle.ChronicleJournalProvider;
}
