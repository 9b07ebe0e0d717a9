/**
 * ZOID's call forwarding at compile time: what hints mean, the scanner of C headers, and the
 * annotation processor that writes stubs and dispatchers.
 */
module org.jbmi.zoid.processor {
    requires com.palantir.javapoet;
    requires transitive java.compiler;
    requires org.jbmi.shipper.processor;
    requires static transitive org.jspecify;

    exports org.jbmi.zoid.processor.model;
    exports org.jbmi.zoid.processor.plugin;
    exports org.jbmi.zoid.processor.scan;

    provides javax.annotation.processing.Processor with
            org.jbmi.zoid.processor.plugin.PluginProcessor;
}
