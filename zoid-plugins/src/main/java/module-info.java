/** The plug-ins that come with ZOID's call forwarding. */
module org.jbmi.zoid.plugins {
    requires transitive org.jbmi.zoid.forward;
    requires transitive org.jbmi.zoidfs;
    requires static transitive org.jspecify;

    exports org.jbmi.zoid.plugins.barrier;
    exports org.jbmi.zoid.plugins.mapping;
    exports org.jbmi.zoid.plugins.test;
    exports org.jbmi.zoid.plugins.unix;
    exports org.jbmi.zoid.plugins.zoidfs;

    provides org.jbmi.zoid.forward.PluginProvider with
            org.jbmi.zoid.plugins.unix.UnixProvider,
            org.jbmi.zoid.plugins.mapping.MappingProvider,
            org.jbmi.zoid.plugins.barrier.BarrierProvider,
            org.jbmi.zoid.plugins.test.TestProvider,
            org.jbmi.zoid.plugins.zoidfs.ZoidfsProvider;
}
