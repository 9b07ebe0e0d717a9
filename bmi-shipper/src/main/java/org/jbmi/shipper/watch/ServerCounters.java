package org.jbmi.shipper.watch;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** What a server counts, in the counters of its instance. */
public final class ServerCounters {
    /** Calls that came. */
    public final Counter calls;

    /** Calls that were answered with an error. */
    public final Counter failures;

    /** Calls and hellos that were refused, since there were too many. */
    public final Counter refusals;

    /** Calls whose client cancelled, died, or waited no longer. */
    public final Counter abandoned;

    /** Answers that came too late, or a second time. */
    public final Counter uselessAnswers;

    /** Messages, and inputs in them, that the server could not read. */
    public final Counter malformed;

    /** Transfers that a client refused. */
    public final Counter bulkRefusals;

    /** Bytes taken from exposed memory. */
    public final Counter pulledBytes;

    /** Bytes put into exposed memory. */
    public final Counter pushedBytes;

    /** Sessions that are open. */
    public final Counter sessions;

    /** Sessions that ended early, for any reason. */
    public final Counter brokenSessions;

    /** Bytes of large inputs and outputs that are kept. */
    public final Counter heldBytes;

    /** Bytes of memory lent to handlers. */
    public final Counter leasedBytes;

    /** Registers them. */
    public ServerCounters(Counters counters) {
        calls = counters.register(5101, "shipper.server.calls", "calls");
        failures = counters.register(5102, "shipper.server.failures", "calls");
        refusals = counters.register(5103, "shipper.server.refusals", "calls");
        abandoned = counters.register(5104, "shipper.server.abandoned", "calls");
        uselessAnswers = counters.register(5105, "shipper.server.uselessAnswers", "answers");
        malformed = counters.register(5106, "shipper.server.malformed", "messages");
        bulkRefusals = counters.register(5107, "shipper.server.bulkRefusals", "transfers");
        pulledBytes = counters.register(5108, "shipper.server.pulledBytes", "bytes");
        pushedBytes = counters.register(5109, "shipper.server.pushedBytes", "bytes");
        sessions = counters.register(5110, "shipper.server.sessions", "sessions");
        brokenSessions = counters.register(5111, "shipper.server.brokenSessions", "sessions");
        heldBytes = counters.register(5112, "shipper.server.heldBytes", "bytes");
        leasedBytes = counters.register(5113, "shipper.server.leasedBytes", "bytes");
    }
}
