import org.jbmi.spi.MethodProvider;
import org.jbmi.tcp.peer.TcpProvider;

/** The tcp method: messages between hosts, on the wire the same as the C library. */
module org.jbmi.tcp {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires org.jbmi.mempool;

    exports org.jbmi.tcp;
    exports org.jbmi.tcp.wire;

    provides MethodProvider with
            TcpProvider;
}
