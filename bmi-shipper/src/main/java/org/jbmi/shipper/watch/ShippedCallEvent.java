package org.jbmi.shipper.watch;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A call of a client, from its forward to its outcome. */
@Name("org.jbmi.ShippedCall")
@Label("Shipped call")
@Description("A call of a client, from its forward to its outcome")
@Category("jbmi")
@Enabled(false)
@StackTrace(false)
public final class ShippedCallEvent extends Event {
    /** What was called. */
    @Label("Function")
    public @Nullable String function;

    /** Who was called. */
    @Label("Server")
    public @Nullable String server;

    /** What became of it. */
    @Label("Error")
    @Description("Empty for success")
    public @Nullable String error;

    /** Made while recording is on. */
    public ShippedCallEvent() {}
}
