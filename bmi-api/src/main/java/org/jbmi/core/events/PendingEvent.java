package org.jbmi.core.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

import org.jbmi.PendingOperation;

import java.util.function.IntFunction;

/** An operation that is not reported yet: one event for each, at each look. */
@Name("org.jbmi.Pending")
@Label("Pending operation")
@Description("An operation was posted, and no test call has reported it")
@Category("jbmi")
@Enabled(false)
@Period("1 s")
@StackTrace(false)
public final class PendingEvent extends OperationEvent {
    /** So that a program with very many operations does not fill the recording. */
    private static final int MOST = 1000;

    @Label("Instance")
    @Description("The same number for all operations of one instance")
    int instance;

    @Label("Look")
    @Description("The same number for all operations that one look at the instance has found")
    long look;

    @Label("Pending in all")
    @Description("How many operations the look has found; the oldest 1000 have an event")
    int total;

    @Label("Operation id")
    long operation;

    @Label("Size")
    @DataAmount(DataAmount.BYTES)
    long sizeBytes;

    @Label("Over")
    @Description("Whether it has its outcome, which the program has not collected")
    boolean over;

    @Label("Age")
    @Description("Since a look first found it")
    @Timespan(Timespan.NANOSECONDS)
    long age;

    private PendingEvent() {}

    /**
     * Begins to write events when a recording asks for them; the result ends it.
     *
     * @param looks finds the oldest operations of an instance, so many at most
     */
    public static Runnable tell(IntFunction<FoundOperations> looks) {
        if (!FlightRecorder.isAvailable()) {
            return () -> {};
        }
        Runnable hook = () -> commitAll(looks);
        FlightRecorder.addPeriodicEvent(PendingEvent.class, hook);
        return () -> FlightRecorder.removePeriodicEvent(hook);
    }

    private static void commitAll(IntFunction<FoundOperations> looks) {
        FoundOperations found = looks.apply(MOST);
        long look = System.nanoTime();
        for (PendingOperation operation : found.oldest()) {
            PendingEvent event = new PendingEvent();
            event.instance = System.identityHashCode(looks);
            event.look = look;
            event.total = found.total();
            event.operation = operation.id();
            event.method = operation.method();
            event.peer = operation.peer();
            event.kind = operation.kind();
            event.tag = operation.tag();
            event.sizeBytes = operation.sizeBytes();
            event.over = operation.isOver();
            event.age = operation.ageNs();
            event.commit();
        }
    }
}
