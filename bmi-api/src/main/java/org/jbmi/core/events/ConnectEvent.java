package org.jbmi.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A peer that is known from now on; its duration is the time of the look-up. */
@Name("org.jbmi.Connect")
@Label("Connect")
@Description("A peer was looked up, or was met as a sender")
@Category("jbmi")
@StackTrace(false)
public final class ConnectEvent extends Event {
    @Label("Method")
    @Nullable String method;

    @Label("Peer")
    @Nullable String peer;

    @Label("Incoming")
    @Description("Whether it was met as the sender of a message")
    boolean incoming;

    ConnectEvent() {}
}
