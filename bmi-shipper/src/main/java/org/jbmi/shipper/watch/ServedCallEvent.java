package org.jbmi.shipper.watch;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A call on a server, from its arrival to its answer. */
@Name("org.jbmi.ServedCall")
@Label("Served call")
@Description("A call on a server, from its arrival to its answer")
@Category("jbmi")
@Enabled(false)
@StackTrace(false)
public final class ServedCallEvent extends Event {
    /** What was called. */
    @Label("Function")
    public @Nullable String function;

    /** Who called. */
    @Label("Client")
    public @Nullable String client;

    /** What was answered. */
    @Label("Error")
    @Description("Empty for success")
    public @Nullable String error;

    /** Made while recording is on. */
    public ServedCallEvent() {}
}
