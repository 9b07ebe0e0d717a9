package org.jbmi.conformance;

/** tcp in the standalone dialect. */
public final class TcpStandaloneFixture extends TcpFixture {
    /** For the service loader. */
    public TcpStandaloneFixture() {
        super("standalone", true);
    }
}
