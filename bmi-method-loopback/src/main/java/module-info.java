import org.jbmi.loopback.LoopbackProvider;
import org.jbmi.spi.MethodProvider;

/** The loopback method: messages inside one process. */
module org.jbmi.loopback {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires org.jbmi.mempool;

    exports org.jbmi.loopback;

    provides MethodProvider with
            LoopbackProvider;
}
