package org.jbmi.zoidfs.server.observe;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

import org.jspecify.annotations.Nullable;

/** A call on a zoidfs server, from its arrival to its answer. */
@Name("org.jbmi.ServedFileCall")
@Label("Served file call")
@Description("A call on a zoidfs server, from its arrival to its answer")
@Category("jbmi")
@Enabled(false)
@StackTrace(false)
public final class ServedFileCallEvent extends Event {
    /** What was asked for. */
    @Label("Operation")
    public @Nullable String operation;

    /** Who asked. */
    @Label("Client")
    public @Nullable String client;

    /** What was answered. */
    @Label("Status")
    @Description("0 for success")
    public int status;

    /** How much was read or written. */
    @Label("Bytes")
    @DataAmount
    public long sizeBytes;

    /** How long it waited in queues of the server. */
    @Label("Queue")
    @Timespan
    public long queueNs;

    /** How long system calls on files took. */
    @Label("Disk")
    @Timespan
    public long diskNs;

    /** How long messages of data took, without what the disk did meanwhile. */
    @Label("Link")
    @Timespan
    public long linkNs;

    /** Made when somebody records. */
    public ServedFileCallEvent() {}

    /** An event that begins now, or null if nobody records. */
    public static @Nullable ServedFileCallEvent begun() {
        ServedFileCallEvent event = new ServedFileCallEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }
}
