package org.jbmi.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A bounded resource was used up. */
@Name("org.jbmi.Exhaust")
@Label("Exhaust")
@Description("A bounded resource was used up")
@Category("jbmi")
@StackTrace(true)
final class ExhaustEvent extends Event {
    @Label("Resource")
    @Description("operations, contexts or memory")
    @Nullable String resource;

    @Label("Method")
    @Nullable String method;

    @Label("Wanted")
    @Description("In the unit of the resource: operations, contexts, or bytes of memory")
    long wanted;

    ExhaustEvent() {}
}
