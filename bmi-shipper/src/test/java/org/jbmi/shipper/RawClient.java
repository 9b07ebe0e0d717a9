package org.jbmi.shipper;

import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A client that writes each message by hand, and need not play by the rules. */
record RawClient(CompletionContext context, PeerAddress server) {
    private static final int PREFIX = 0x5b;
    private static final int WELCOME_TAG = Tags.welcome(PREFIX, 77);
    private static final int INBOX_BYTES = 4096;

    /** Says hello with a receive for the welcome posted; returns the post of that receive. */
    Welcome sayHello(BulkHandle.Token secret, int flags) {
        return sayHello(secret, flags, INBOX_BYTES);
    }

    /** The same, and says how large its inbox is. */
    Welcome sayHello(BulkHandle.Token secret, int flags, int inboxBytes) {
        MemorySegment answer = MemorySegment.ofArray(new byte[Wire.LEAST_INBOX_BYTES]);
        long receive = context.postReceive(server, answer, WELCOME_TAG);
        sayHelloWithoutReceive(secret, flags, inboxBytes);
        return new Welcome(receive, answer);
    }

    /** A welcome on its way. */
    record Welcome(long receive, MemorySegment answer) {
        long session() {
            return answer.get(ValueLayout.JAVA_LONG_UNALIGNED, 8);
        }
    }

    void sayHelloWithoutReceive(BulkHandle.Token secret, int flags) {
        sayHelloWithoutReceive(secret, flags, INBOX_BYTES);
    }

    private void sayHelloWithoutReceive(BulkHandle.Token secret, int flags, int inboxBytes) {
        Encoder out = new Encoder(Wire.HELLO_BYTES);
        Wire.begin(out, Wire.HELLO, flags, 0, 0);
        out.putToken(secret);
        out.putToken(new BulkHandle.Token(2, 2));
        out.putInt(WELCOME_TAG);
        out.putInt(inboxBytes);
        send(out);
    }

    /** Opens a session with a server that has threads; returns its number. */
    long hello(BulkHandle.Token secret, int flags) {
        Welcome welcome = sayHello(secret, flags);
        context.await(welcome.receive(), 20_000);
        return welcome.session();
    }

    /** Calls a function whose input is one number, without a deadline. */
    void call(long session, long number, String function, String signature) {
        call(session, number, function, signature, 0);
    }

    /** The same, and gives the function an index for later calls. */
    void call(long session, long number, String function, String signature, int index) {
        Encoder out = new Encoder(512);
        int flags = index << Wire.FUNCTION_INDEX_SHIFT;
        Wire.begin(out, Wire.NAMED_CALL, flags, session, number);
        out.putLong(Wire.hash(function));
        out.putLong(Wire.hash(signature));
        out.putInt(0);
        out.putLong(number);
        send(out);
    }

    /** Calls a function by its index, with the number as its input, without a deadline. */
    void callByIndex(long session, long number, int index) {
        Encoder out = new Encoder(512);
        int flags = index << Wire.FUNCTION_INDEX_SHIFT;
        Wire.begin(out, Wire.CALL, flags, session, number);
        out.putInt(0);
        out.putLong(number);
        send(out);
    }

    /** Calls a function whose input the server is to pull, without a deadline. */
    void callByBulk(
            long session, long number, String function, String signature, BulkHandle input) {
        Encoder out = new Encoder(512);
        Wire.begin(out, Wire.NAMED_CALL, Wire.FLAG_INPUT_BY_BULK, session, number);
        out.putLong(Wire.hash(function));
        out.putLong(Wire.hash(signature));
        out.putInt(0);
        out.putHandle(input);
        send(out);
    }

    /** Cancels a call. */
    void cancel(long session, long number) {
        Encoder out = new Encoder(Wire.HEADER_BYTES);
        Wire.begin(out, Wire.CANCEL, session, number);
        send(out);
    }

    /** Says where a large output may be pushed. */
    void fetch(long session, long number, BulkHandle room) {
        Encoder out = new Encoder(512);
        Wire.begin(out, Wire.FETCH, session, number);
        out.putHandle(room);
        send(out);
    }

    /** Receives what the server says in a session. */
    long receive(long session, MemorySegment into) {
        return receive(session, Tags.INBOX, into);
    }

    /** Receives on a channel of a session. */
    long receive(long session, int channel, MemorySegment into) {
        return context.postReceive(server, into, tag(session, channel));
    }

    /** Sends on a channel of a session. */
    long send(long session, int channel, MemorySegment bytes) {
        return context.postSend(server, bytes, tag(session, channel));
    }

    private static int tag(long session, int channel) {
        return Tags.session(PREFIX, lane(session), channel);
    }

    /** The lane of a session. */
    static int lane(long session) {
        return (int) session & Tags.MAX_LANE;
    }

    /** Says how a transfer has ended, and how many chunks it has sent or received. */
    void done(long session, long transfer, ErrorCode status, int chunks) {
        Encoder out = new Encoder(Wire.HEADER_BYTES + 2 * Integer.BYTES);
        Wire.begin(out, Wire.DONE, session, transfer);
        out.putInt(status.negativeValue());
        out.putInt(chunks);
        send(out);
    }

    /** Ends a session. */
    void bye(long session) {
        Encoder out = new Encoder(Wire.HEADER_BYTES);
        Wire.begin(out, Wire.BYE, session, 0);
        send(out);
    }

    /** Says that the receives of a push are posted. */
    void grant(long session, long transfer) {
        Encoder out = new Encoder(Wire.HEADER_BYTES);
        Wire.begin(out, Wire.GRANT, session, transfer);
        send(out);
    }

    private void send(Encoder out) {
        context.postSendUnexpected(
                server, MemorySegment.ofArray(out.toByteArray()), Tags.request(PREFIX));
    }
}
