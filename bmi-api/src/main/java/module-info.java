/** The Buffered Message Interface: the public API and the SPI for methods (transports). */
module org.jbmi.api {
    requires jdk.jfr;
    requires org.jctools.core.jdk11;
    requires static transitive org.jspecify;

    exports org.jbmi;
    exports org.jbmi.config;
    exports org.jbmi.observe;
    exports org.jbmi.spi;

    uses org.jbmi.spi.MethodProvider;
}
