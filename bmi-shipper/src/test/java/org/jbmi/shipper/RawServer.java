package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A server of one session that writes each message by hand, and need not play by the rules. */
final class RawServer implements AutoCloseable {
    private static final int PREFIX = 0x5b;
    private static final int LANE = 1;
    private static final long SESSION = 1L << 15 | LANE;
    private static final int SLOTS = 4;
    private static final int PATIENCE_MS = 20_000;

    private final CompletionContext context;
    private final UnexpectedListener listener;
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
    private PeerAddress client;

    RawServer(Bmi bmi) {
        int tag = Tags.request(PREFIX);
        context = bmi.openContext();
        listener = bmi.openListener(UnexpectedFilter.ofTags(tag, tag));
    }

    /** Grants the next one who says hello its session. */
    void welcome() {
        Setup.until("a hello", () -> listener.test(messages, 10) > 0);
        Decoder in = said();
        client = messages.peer(0);
        assertThat(Wire.kind(in)).isEqualTo(Wire.HELLO);
        in.getLong();
        in.getLong();
        in.getToken(); // its secret
        BulkHandle.Token nonce = in.getToken();
        int tag = in.getInt();
        messages.free(0);
        Encoder out = new Encoder(Wire.LEAST_INBOX_BYTES);
        Wire.begin(out, Wire.WELCOME, SESSION, 0);
        out.putToken(nonce);
        out.putInt(0);
        out.putInt(LANE);
        out.putInt(SLOTS);
        send(out, tag);
    }

    /** Waits for a message of a kind; returns the number of the call or transfer in it. */
    long await(int kind) {
        while (true) {
            Setup.until("message " + kind, () -> listener.test(messages, 10) > 0);
            Decoder in = said();
            messages.free(0);
            if (Wire.kind(in) == kind) {
                in.getLong();
                return in.getLong();
            }
        }
    }

    private Decoder said() {
        byte[] bytes = messages.payload(0).toArray(ValueLayout.JAVA_BYTE);
        Decoder in = new Decoder();
        in.reset(bytes, 0, bytes.length);
        return in;
    }

    /** Asks for all of some exposed memory in one chunk. */
    void pull(long number, BulkHandle from, int channel) {
        Encoder out = new Encoder(Wire.LEAST_INBOX_BYTES);
        Wire.begin(out, Wire.PULL, SESSION, number);
        out.putLong(from.number());
        out.putToken(from.key());
        out.putLong(0);
        out.putLong(from.sizeBytes());
        out.putInt((int) from.sizeBytes());
        out.putInt(channel);
        send(out, Tags.session(PREFIX, LANE, Tags.INBOX));
    }

    /** Ends a transfer early. */
    void abort(long number) {
        Encoder out = new Encoder(Wire.LEAST_INBOX_BYTES);
        Wire.begin(out, Wire.ABORT, SESSION, number);
        out.putInt(0);
        send(out, Tags.session(PREFIX, LANE, Tags.INBOX));
    }

    /** Takes a chunk of one number. */
    long chunk(int channel) {
        MemorySegment into = MemorySegment.ofArray(new byte[Long.BYTES]);
        context.await(
                context.postReceive(client, into, Tags.session(PREFIX, LANE, channel)),
                PATIENCE_MS);
        return into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    private void send(Encoder out, int tag) {
        MemorySegment bytes = MemorySegment.ofArray(out.toByteArray());
        context.await(context.postSend(client, bytes, tag), PATIENCE_MS);
    }

    @Override
    public void close() {
        listener.close();
        context.close();
    }
}
