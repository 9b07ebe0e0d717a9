package org.jbmi.zoid.daemon;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/** The counters of a server for one kind of messages, every 10 seconds. */
@Name("org.jbmi.ForwardedTraffic")
@Label("Forwarded traffic")
@Description("What a ZOID server has sent and received of one kind since it started")
@Category("jbmi")
@Period("10 s")
@StackTrace(false)
final class ForwardedTrafficEvent extends Event {
    @Label("Kind")
    @Nullable String kind;

    @Label("Messages Sent")
    long sentMessages;

    @Label("Bytes Sent")
    @DataAmount
    long sentBytes;

    @Label("Messages Received")
    long receivedMessages;

    @Label("Bytes Received")
    @DataAmount
    long receivedBytes;

    private ForwardedTrafficEvent() {}

    /** Begins to write events; the result ends it. */
    static Runnable tell(Supplier<Statistics> statistics) {
        if (!FlightRecorder.isAvailable()) {
            return () -> {};
        }
        Runnable hook = () -> statistics.get().parts().forEach(ForwardedTrafficEvent::commit);
        FlightRecorder.addPeriodicEvent(ForwardedTrafficEvent.class, hook);
        return () -> FlightRecorder.removePeriodicEvent(hook);
    }

    private static void commit(Statistics.Part part) {
        ForwardedTrafficEvent event = new ForwardedTrafficEvent();
        event.kind = part.name();
        event.sentMessages = part.sentMessages();
        event.sentBytes = part.sentBytes();
        event.receivedMessages = part.receivedMessages();
        event.receivedBytes = part.receivedBytes();
        event.commit();
    }
}
