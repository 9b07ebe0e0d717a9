/** The command line: bmi, zbmi, zoid and zoidfs. */
module org.jbmi.tools {
    requires static transitive org.jspecify;
    requires com.fasterxml.jackson.core;
    requires transitive info.picocli;
    requires jdk.httpserver;
    requires jdk.jfr;
    requires transitive org.jbmi.api;
    requires org.jbmi.mempool;
    requires org.jbmi.shipper;
    requires org.jbmi.tcp;
    requires org.jbmi.zbmi.server;
    requires org.jbmi.zoid.daemon;
    requires org.jbmi.zoid.processor;
    requires transitive org.jbmi.zoidfs;
    requires org.jbmi.zoidfs.fuse;
    requires org.jbmi.zoidfs.server;

    exports org.jbmi.tools.cli to
            org.jbmi.demo;
    exports org.jbmi.tools.text to
            org.jbmi.demo;
    exports org.jbmi.tools.zoidfs to
            org.jbmi.demo;

    uses org.jbmi.spi.MethodProvider;
    uses org.jbmi.tools.cli.CommandProvider;

    opens org.jbmi.tools to
            info.picocli;
    opens org.jbmi.tools.cli to
            info.picocli;
    opens org.jbmi.tools.doctor to
            info.picocli;
    opens org.jbmi.tools.info to
            info.picocli;
    opens org.jbmi.tools.shipper to
            info.picocli;
    opens org.jbmi.tools.tcp to
            info.picocli;
    opens org.jbmi.tools.zbmi to
            info.picocli;
    opens org.jbmi.tools.zoid to
            info.picocli;
    opens org.jbmi.tools.zoidfs to
            info.picocli;
}
