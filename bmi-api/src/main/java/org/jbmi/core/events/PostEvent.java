package org.jbmi.core.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A post that was accepted; its duration is the time in the call. */
@Name("org.jbmi.Post")
@Label("Post")
@Description("A send or a receive was accepted")
@Category("jbmi")
@Enabled(false)
@StackTrace(false)
public final class PostEvent extends OperationEvent {
    @Label("Operation id")
    @Description("0 if the operation was over with its post")
    long operation;

    @Label("Size")
    @DataAmount(DataAmount.BYTES)
    long sizeBytes;

    @Label("Completed at once")
    boolean completed;

    @Label("Hints")
    @Description("Names and values that the program gave with the post")
    @Nullable String hints;

    PostEvent() {}
}
