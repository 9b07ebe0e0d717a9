package org.jbmi.shipper.watch;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** What a client counts, in the counters of its instance. */
public final class ClientCounters {
    /** Calls that were forwarded. */
    public final Counter calls;

    /** Calls that ended with an error, of whichever side. */
    public final Counter failures;

    /** Calls that were refused here, since too many were under way. */
    public final Counter refusals;

    /** Transfers of servers that were refused: wrong key, range, permission. */
    public final Counter bulkRefusals;

    /** Bytes of exposed memory that servers took. */
    public final Counter pulledBytes;

    /** Bytes that servers put into exposed memory. */
    public final Counter pushedBytes;

    /** Replies that came after their call had ended. */
    public final Counter lateReplies;

    /** Sessions that ended, for any reason; a close of the client ends its sessions as well. */
    public final Counter brokenSessions;

    /** Registers them. */
    public ClientCounters(Counters counters) {
        calls = counters.register(5001, "shipper.client.calls", "calls");
        failures = counters.register(5002, "shipper.client.failures", "calls");
        refusals = counters.register(5003, "shipper.client.refusals", "calls");
        bulkRefusals = counters.register(5004, "shipper.client.bulkRefusals", "transfers");
        pulledBytes = counters.register(5005, "shipper.client.pulledBytes", "bytes");
        pushedBytes = counters.register(5006, "shipper.client.pushedBytes", "bytes");
        lateReplies = counters.register(5007, "shipper.client.lateReplies", "messages");
        brokenSessions = counters.register(5008, "shipper.client.brokenSessions", "sessions");
    }
}
