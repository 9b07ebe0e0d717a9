/** Serves a folder to zoidfs clients over any BMI method. */
module org.jbmi.zoidfs.server {
    requires com.lmax.disruptor;
    requires transitive jdk.jfr;
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;
    requires transitive org.jbmi.zoidfs;

    exports org.jbmi.zoidfs.server;
    exports org.jbmi.zoidfs.server.config;
    exports org.jbmi.zoidfs.server.observe;
}
