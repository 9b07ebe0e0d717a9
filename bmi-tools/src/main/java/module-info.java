/** The command line: bmi, zbmi, zoid and zoidfs. */
module org.jbmi.tools {
    requires static org.jspecify;
    requires HdrHistogram;
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires jdk.httpserver;
    requires jdk.management;
    requires org.jbmi.api;
    requires org.jbmi.loopback;
    requires org.jbmi.mempool;
    requires org.jbmi.shipper;
    requires org.jbmi.simulator;
    requires org.jbmi.tcp;
    requires org.jbmi.testsuite;
    requires org.jbmi.zbmi.server;
    requires org.jbmi.zoid;
    requires org.jbmi.zoid.daemon;
    requires org.jbmi.zoid.plugins;
    requires org.jbmi.zoid.processor;
    requires org.jbmi.zoidfs;
    requires org.jbmi.zoidfs.fuse;
    requires org.jbmi.zoidfs.server;
    requires org.junit.platform.launcher;

    uses org.jbmi.spi.MethodProvider;
    uses org.jbmi.tools.perf.baseline.Baseline;

    opens org.jbmi.tools to
            info.picocli;
    opens org.jbmi.tools.cli to
            info.picocli;
    opens org.jbmi.tools.conform to
            info.picocli;
    opens org.jbmi.tools.demo to
            info.picocli;
    opens org.jbmi.tools.doctor to
            info.picocli;
    opens org.jbmi.tools.info to
            info.picocli;
    opens org.jbmi.tools.perf.command to
            info.picocli;
    opens org.jbmi.tools.shipper to
            info.picocli;
    opens org.jbmi.tools.simulate to
            info.picocli;
    opens org.jbmi.tools.tcp to
            info.picocli;
    opens org.jbmi.tools.zbmi to
            info.picocli;
    opens org.jbmi.tools.zoid to
            info.picocli;
    opens org.jbmi.tools.zoidfs to
            info.picocli;
    opens org.jbmi.tools.zoidfs.perf to
            info.picocli;
}
