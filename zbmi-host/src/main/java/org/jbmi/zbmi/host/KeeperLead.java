package org.jbmi.zbmi.host;

import org.jbmi.mempool.NanoClock;

/** The keeper's rounds of the engine, one after the other without a pause. For the keeper alone. */
final class KeeperLead {
    private final DirectEngine engine;
    private final NanoClock clock;
    private final long spinNs;
    private long nowNs;
    private long idleSinceNs;
    private long lastTickNs;

    /**
     * Makes one that does not lead yet.
     *
     * @param spinNs how long to go on without work
     */
    KeeperLead(DirectEngine engine, NanoClock clock, long spinNs) {
        this.engine = engine;
        this.clock = clock;
        this.spinNs = spinNs;
    }

    /**
     * After each sleep: one round, if no other thread leads.
     *
     * @return whether {@link #goOn} must follow
     */
    boolean begin() {
        nowNs = clock.nanoTime();
        idleSinceNs = nowNs;
        lastTickNs = nowNs;
        return engine.keep();
    }

    /**
     * A further round.
     *
     * @return whether another one must follow
     */
    boolean goOn() {
        nowNs = clock.nanoTime();
        int work = engine.keepOn(nowNs - idleSinceNs >= spinNs);
        if (work > 0) {
            idleSinceNs = nowNs;
        }
        return work >= 0;
    }

    /** Whether a tick has passed since it began, or since this was true last. */
    boolean isTick() {
        boolean isNow = nowNs - lastTickNs >= DirectEngine.TICK_NS;
        lastTickNs = isNow ? nowNs : lastTickNs;
        return isNow;
    }
}
