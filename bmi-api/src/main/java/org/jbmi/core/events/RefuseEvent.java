package org.jbmi.core.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A post that was refused. */
@Name("org.jbmi.Refuse")
@Label("Refuse")
@Description("A post was refused")
@Category("jbmi")
@StackTrace(true)
final class RefuseEvent extends OperationEvent {
    @Label("Size")
    @DataAmount(DataAmount.BYTES)
    long sizeBytes;

    @Label("Error")
    @Description("Name of the error code")
    @Nullable String error;

    RefuseEvent() {}
}
