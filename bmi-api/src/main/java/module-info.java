/** The Buffered Message Interface: the public API and the SPI for methods (transports). */
module org.jbmi.api {
    requires static transitive org.jspecify;
    requires org.jctools.core.jdk11;
}
