/** The demo: copies a file to a zoidfs server and back, each part in its own process. */
module org.jbmi.demo {
    requires static org.jspecify;
    requires info.picocli;
    requires org.jbmi.api;
    requires org.jbmi.loopback;
    requires org.jbmi.tools;
    requires org.jbmi.zbmi.server;
    requires org.jbmi.zoid;
    requires org.jbmi.zoidfs;
    requires org.jbmi.zoidfs.server;

    opens org.jbmi.demo to
            info.picocli;

    provides org.jbmi.tools.cli.CommandProvider with
            org.jbmi.demo.DemoCommands;
}
