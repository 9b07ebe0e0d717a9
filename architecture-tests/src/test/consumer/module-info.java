/** A user's module: it names what it calls, and finds methods as services. */
module org.example.consumer {
    requires org.jbmi.loopback;

    uses org.jbmi.spi.MethodProvider;
}
