/** Writes the codecs of shipped records; used by the compiler, not at run time. */
module org.jbmi.shipper.processor {
    requires com.palantir.javapoet;
    requires transitive java.compiler;
    requires static transitive org.jspecify;

    exports org.jbmi.shipper.processor.model;
    exports org.jbmi.shipper.processor;

    provides javax.annotation.processing.Processor with
            org.jbmi.shipper.processor.ShippedProcessor;
}
