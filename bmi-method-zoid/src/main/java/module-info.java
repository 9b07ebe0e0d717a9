/** The zoid method: many clients and one server through shared memory. */
module org.jbmi.zoid {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires org.jbmi.zbmi.link;

    exports org.jbmi.zoid;

    uses org.jbmi.zbmi.channel.EngineHostProvider;

    provides org.jbmi.spi.MethodProvider with
            org.jbmi.zoid.ZoidProvider;
}
