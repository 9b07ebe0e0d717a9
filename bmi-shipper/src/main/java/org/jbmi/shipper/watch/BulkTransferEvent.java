package org.jbmi.shipper.watch;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A transfer between a server and exposed memory. */
@Name("org.jbmi.BulkTransfer")
@Label("Bulk transfer")
@Description("A transfer between a server and exposed memory")
@Category("jbmi")
@Enabled(false)
@StackTrace(false)
public final class BulkTransferEvent extends Event {
    /** Whose memory it was. */
    @Label("Client")
    public @Nullable String client;

    /** Which way. */
    @Label("Push")
    @Description("Whether bytes went to the client")
    public boolean push;

    /** How much was asked for. */
    @Label("Size")
    @DataAmount(DataAmount.BYTES)
    public long sizeBytes;

    /** What became of it. */
    @Label("Error")
    @Description("Empty for success")
    public @Nullable String error;

    /** Made while recording is on. */
    public BulkTransferEvent() {}
}
