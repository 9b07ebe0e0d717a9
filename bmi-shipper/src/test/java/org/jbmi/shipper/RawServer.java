package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.wire.Header;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A server of one session that writes each message by hand, and need not play by the rules. */
final class RawServer implements AutoCloseable {
    private static final int PREFIX = 0x5b;

    /** How many calls it lets a client have under way. */
    static final int SLOTS = 4;

    private static final int PATIENCE_MS = 20_000;

    private final CompletionContext context;
    private final UnexpectedListener listener;
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
    private final Header header = new Header();
    private byte[] last = {};
    private PeerAddress client;

    /** Of the session of now; each has a lane of its own. */
    private int lane;

    private long session;

    RawServer(Bmi bmi) {
        int tag = Tags.request(PREFIX);
        context = bmi.openContext();
        listener = bmi.openListener(UnexpectedFilter.ofTags(tag, tag));
    }

    /** Grants the next one who says hello its session. */
    void welcome() {
        Setup.until("a hello", () -> listener.test(messages, 10) > 0);
        Decoder in = said();
        assertThat(header.kind()).isEqualTo(Wire.HELLO);
        grant(in);
    }

    private void grant(Decoder in) {
        client = messages.peer(0);
        in.getToken(); // its secret
        BulkHandle.Token nonce = in.getToken();
        int tag = in.getInt();
        messages.free(0);
        lane++;
        session = (long) lane << 15 | lane;
        Encoder out = begin(Wire.WELCOME, 0);
        out.putToken(nonce);
        out.putInt(0);
        out.putInt(lane);
        out.putInt(SLOTS);
        send(out, tag);
    }

    /** Waits for a message of a kind; returns the number of the call or transfer in it. */
    long await(int kind) {
        while (true) {
            Setup.until("message " + kind, () -> listener.test(messages, 10) > 0);
            said();
            messages.free(0);
            if (header.kind() == kind) {
                return header.number();
            }
        }
    }

    /** Takes all that has come, and grants sessions; returns the numbers of the calls. */
    List<Long> calls() {
        List<Long> numbers = new ArrayList<>();
        while (listener.test(messages, 0) > 0) {
            Decoder in = said();
            if (header.kind() == Wire.HELLO) {
                grant(in);
                continue;
            }
            messages.free(0);
            if (header.kind() == Wire.NAMED_CALL || header.kind() == Wire.CALL) {
                numbers.add(header.number());
            }
        }
        return numbers;
    }

    /** The last message that came. */
    byte[] last() {
        return last;
    }

    /** Begins a message of the session of now. */
    Encoder begin(int kind, long number) {
        return begin(kind, 0, number);
    }

    /** Begins a message of the session of now, with flags. */
    Encoder begin(int kind, int flags, long number) {
        Encoder out = new Encoder(1024);
        Wire.begin(out, kind, flags, session, number);
        return out;
    }

    private int inbox() {
        return Tags.session(PREFIX, lane, Tags.INBOX);
    }

    /** Says that the output of a call has so many bytes and waits to be fetched. */
    void announce(long call, long sizeBytes) {
        Encoder out = begin(Wire.REPLY, Wire.FLAG_OUTPUT_TO_FETCH, call);
        out.putInt(0);
        out.putLong(sizeBytes);
        meetsAReceive(out);
    }

    /** Answers a call with a number; whether a receive was there for it. */
    boolean reply(long call, long value) {
        Encoder out = begin(Wire.REPLY, call);
        out.putInt(0);
        out.putLong(value);
        return meetsAReceive(out);
    }

    /** Pushes one byte into exposed memory; whether a receive was there for it. */
    boolean push(long number, BulkHandle into, long offset, byte value) {
        Encoder out = begin(Wire.PUSH_INLINE, number);
        out.putLong(into.number());
        out.putToken(into.key());
        out.putLong(offset);
        out.putBytes(new byte[] {value});
        return meetsAReceive(out);
    }

    /** Sends anything into the client's inbox; whether a receive was there for it. */
    boolean meetsAReceive(Encoder out) {
        long result = context.postSend(client, MemorySegment.ofArray(out.toByteArray()), inbox());
        return PostResult.isCompleted(result);
    }

    private Decoder said() {
        last = messages.payload(0).toArray(ValueLayout.JAVA_BYTE);
        Decoder in = new Decoder();
        in.reset(last, 0, last.length);
        header.read(in);
        return in;
    }

    /** Asks for all of some exposed memory in one chunk. */
    void pull(long number, BulkHandle from, int channel) {
        ask(Wire.PULL, number, from, (int) from.sizeBytes(), channel);
    }

    /** Asks for receives in all of some exposed memory. */
    void startPush(long number, BulkHandle into, int chunkBytes, int channel) {
        ask(Wire.PUSH, number, into, chunkBytes, channel);
    }

    private void ask(int kind, long number, BulkHandle memory, int chunkBytes, int channel) {
        Encoder out = begin(kind, number);
        out.putLong(memory.number());
        out.putToken(memory.key());
        out.putLong(0);
        out.putLong(memory.sizeBytes());
        out.putInt(chunkBytes);
        out.putInt(channel);
        send(out, inbox());
    }

    /** Ends a transfer early. */
    void abort(long number) {
        abort(number, 0);
    }

    /** Ends a transfer early, and says how many of its chunks were sent. */
    void abort(long number, int sent) {
        Encoder out = begin(Wire.ABORT, number);
        out.putInt(sent);
        send(out, inbox());
    }

    /** Sends a chunk of zeros. */
    void sendChunk(int channel, int bytes) {
        MemorySegment zeros = MemorySegment.ofArray(new byte[bytes]);
        context.postSend(client, zeros, Tags.session(PREFIX, lane, channel));
    }

    /** Takes a chunk of one number. */
    long chunk(int channel) {
        MemorySegment into = MemorySegment.ofArray(new byte[Long.BYTES]);
        context.await(
                context.postReceive(client, into, Tags.session(PREFIX, lane, channel)),
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
