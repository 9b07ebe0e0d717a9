package org.jbmi.zoid.daemon;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A forwarded call on its server, from its arrival to its answer. */
@Name("org.jbmi.ForwardedCall")
@Label("Forwarded call")
@Description("A forwarded call on a ZOID server, from its arrival to its answer")
@Category("jbmi")
@Enabled(false)
@StackTrace(false)
final class ForwardedCallEvent extends Event {
    @Label("Function")
    @Description("The plug-in and its function; their numbers if the server does not know them")
    @Nullable String function;

    @Label("Process")
    @Description("The number of the calling process")
    int process;

    @Label("Request")
    @Description("The arguments with their arrays, whether or not they all came")
    @DataAmount
    long requestBytes;

    @Label("Reply")
    @Description("The results with their arrays")
    @DataAmount
    long replyBytes;

    @Label("Error")
    @Description("The error of the forwarding layer, 0 for success")
    int error;

    ForwardedCallEvent() {}

    /** An event that begins now, or null without a recording. */
    static @Nullable ForwardedCallEvent begun() {
        ForwardedCallEvent event = new ForwardedCallEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }
}
