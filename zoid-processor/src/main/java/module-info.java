/** ZOID's call forwarding at compile time: what hints mean, and the scanner of C headers. */
module org.jbmi.zoid.processor {
    requires java.compiler;
    requires static transitive org.jspecify;

    exports org.jbmi.zoid.processor.model;
    exports org.jbmi.zoid.processor.scan;
}
