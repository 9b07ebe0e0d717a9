package org.jbmi.core.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** The outcome of an operation that was pending. */
@Name("org.jbmi.Complete")
@Label("Complete")
@Description("A pending operation is over")
@Category("jbmi")
@Enabled(false)
@StackTrace(false)
final class CompleteEvent extends OperationEvent {
    @Label("Operation id")
    long operation;

    @Label("Size")
    @Description("Bytes of the message; 0 on failure")
    @DataAmount(DataAmount.BYTES)
    long sizeBytes;

    @Label("Error")
    @Description("Name of the error code; nothing on success")
    @Nullable String error;

    CompleteEvent() {}
}
