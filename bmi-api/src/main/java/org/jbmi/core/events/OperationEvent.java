package org.jbmi.core.events;

import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;

import org.jspecify.annotations.Nullable;

/** What events of one operation have in common. */
abstract class OperationEvent extends Event {
    @Label("Method")
    @Nullable String method;

    @Label("Peer")
    @Nullable String peer;

    @Label("Kind")
    @Description("send, receive or send_unexpected")
    @Nullable String kind;

    @Label("Tag")
    int tag;
}
