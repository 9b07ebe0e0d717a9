package org.jbmi.zbmi.engine.port;

/** Where the engine counts. Called by the engine's thread alone. */
@FunctionalInterface
public interface EngineCounters {
    /**
     * Counts.
     *
     * @param session {@link org.jbmi.zbmi.protocol.SegmentMap#SERVER_SESSION} or a client
     */
    void add(int session, EngineCounter counter, long delta);
}
