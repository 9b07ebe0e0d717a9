/** The project's own methods under the conformance kit. */
module org.jbmi.conformance {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires transitive org.jbmi.testsuite;
    requires org.jbmi.loopback;
    requires org.jbmi.tcp;
    requires org.jbmi.zbmi.server;
    requires org.jbmi.zoid;

    exports org.jbmi.conformance;

    provides org.jbmi.testsuite.MethodFixture with
            org.jbmi.conformance.LoopbackFixture,
            org.jbmi.conformance.TcpOrangeFsFixture,
            org.jbmi.conformance.TcpStandaloneFixture,
            org.jbmi.conformance.ZoidDaemonFixture,
            org.jbmi.conformance.ZoidDirectFixture,
            org.jbmi.conformance.ZoidEmbeddedFixture,
            org.jbmi.conformance.ZoidPosixMqFixture,
            org.jbmi.conformance.ZoidChronicleFixture,
            org.jbmi.conformance.ZoidSocketTcpFixture,
            org.jbmi.conformance.ZoidSocketUnixFixture;
}
