package org.jbmi.conformance;

/** tcp in the orangefs dialect. */
public final class TcpOrangeFsFixture extends TcpFixture {
    /** For the service loader. */
    public TcpOrangeFsFixture() {
        super("orangefs", false);
    }
}
