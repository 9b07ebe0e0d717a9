package org.jbmi.zbmi.engine.port;

/** Takes what an engine has counted, see {@link org.jbmi.zbmi.engine.Engine#takeCounts}. */
@FunctionalInterface
public interface EngineCounters {
    /**
     * Takes one count.
     *
     * @param session {@link org.jbmi.zbmi.protocol.SegmentMap#SERVER_SESSION} or a client
     * @param delta by how much it has changed since the last time; not 0
     */
    void add(int session, EngineCounter counter, long delta);
}
