package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.pump.Chunk;
import org.jbmi.shipper.pump.PostedSet;
import org.jbmi.spi.Failures;

import java.lang.foreign.MemorySegment;

/**
 * The client's side of one transfer: a pull reads exposed memory, a push writes it. It posts the
 * sends or receives of a few chunks at a time. Guarded by the pump's lock.
 *
 * <p>An aborted transfer ends when no byte of it can move. For a pull that is when its sends are
 * over. For a push, when the client has received all chunks that the server sent.
 */
final class ClientTransfer {
    /** The memory cannot be used: the program has freed it meanwhile. */
    private static final int EFAULT = ErrorCode.EFAULT.negativeValue();

    private static final int ENOMEM = ErrorCode.ENOMEM.negativeValue();

    private final ClientSession session;
    private final Exposure exposure;
    private final TransferRequest request;
    private final int chunks;
    private final PostedSet<Part> posted = new PostedSet<>();
    private int nextChunk;
    private int moved;
    private int failure;
    private boolean aborted;

    /** Whether the server may send the chunks of a push. */
    private boolean isGranted;

    /** Why a chunk was refused, or 0. Its outcome comes later: no other one may overtake it. */
    private int refusal;

    /** For a push: the code of chunks that came and could not be stored, or 0. */
    private int lost;

    /** For an aborted push: how many chunks the server has sent. */
    private int sentByServer;

    ClientTransfer(ClientSession session, Exposure exposure, TransferRequest request) {
        this.session = session;
        this.exposure = exposure;
        this.request = request;
        this.chunks = request.chunks();
        exposure.beginTransfer();
    }

    int channel() {
        return request.channel();
    }

    long id() {
        return request.id();
    }

    /** Whether it is a pull of which the server may have all chunks. */
    boolean isAllPosted() {
        return !request.push() && nextChunk == chunks && failure == 0;
    }

    Exposure exposure() {
        return exposure;
    }

    void start() {
        postMore();
        if (!request.push()) {
            return;
        }
        if (refusal != 0) {
            failure = ofMemory(refusal); // without a grant the server sends nothing
            settle();
        } else if (failure == 0) {
            isGranted = true;
            session.sendGrant(id());
        }
    }

    private void postMore() {
        while (refusal == 0
                && failure == 0
                && nextChunk < chunks
                && posted.size() < session.core().settings().chunksInFlight()) {
            postOne();
        }
    }

    private void postOne() {
        int index = nextChunk++;
        long from = request.offset() + (long) index * request.chunkBytes();
        int size = request.sizeOf(index);
        try {
            Part chunk = new Part(index, from, size);
            post(chunk);
            refusal = chunk.refusal();
        } catch (RuntimeException e) {
            fail(EFAULT);
        } catch (OutOfMemoryError e) {
            fail(ENOMEM);
        }
    }

    /** What the server is told of a post that threw. */
    private static int ofMemory(int code) {
        return code == ENOMEM ? ENOMEM : EFAULT;
    }

    private void post(Part chunk) {
        MemorySegment[] parts = chunk.parts();
        posted.add(chunk); // its outcome comes from here on
        if (request.push()) {
            session.core().pump().receive(session.server(), parts, session.tag(channel()), chunk);
        } else {
            session.core().pump().send(session.server(), parts, session.tag(channel()), chunk);
        }
    }

    /** The server aborts it. */
    void abort(int sent) {
        if (request.push() && (sent < moved || sent > (isGranted ? chunks : 0))) {
            session.fail(
                    ErrorCode.EBADMSG.negativeValue(), "The server miscounts what it has sent.");
            return;
        }
        aborted = true;
        sentByServer = sent;
        if (failure == 0) {
            failure = ErrorCode.ECANCEL.negativeValue();
        }
        settle();
    }

    private void fail(int code) {
        if (isGranted) {
            // Chunks that the server sends meanwhile cannot be received.
            session.fail(code, "Chunks for exposed memory cannot be received any more.");
        } else {
            failure = code;
            settle();
        }
    }

    private void settle() {
        if (request.push()) {
            settlePush();
            return;
        }
        posted.cancelAll(session.core().pump());
        if (posted.isEmpty()) {
            end();
        }
    }

    private void settlePush() {
        int owed = sentByServer - moved;
        int wanted = Math.min(owed, session.core().settings().chunksInFlight());
        while (posted.size() < wanted && nextChunk < chunks && !session.isDead()) {
            postOne();
        }
        cancelSurplus();
        if (posted.isEmpty() && owed <= 0) {
            end();
        }
    }

    /** Cancels the receives of chunks that the server has not sent. */
    private void cancelSurplus() {
        Throwable failure = null;
        for (int i = 0; i < posted.size(); i++) { // no iterator: the heap may be full
            Part chunk = posted.get(i);
            try {
                if (chunk.index >= sentByServer) {
                    session.core().pump().cancel(chunk);
                }
            } catch (RuntimeException | Error e) { // the others are cancelled as well
                failure = Failures.first(failure, e);
            }
        }
        Failures.rethrow(failure);
    }

    private void end() {
        session.forget(this);
        if (failure != 0 || request.push()) {
            session.sendDone(id(), failure == 0 ? lost : failure, moved, 0);
        }
    }

    /** The session has ended: cancels the posted chunks, and with them the use of the memory. */
    void cancelAll(int code) {
        failure = code;
        aborted = true;
        try {
            posted.cancelAll(session.core().pump());
        } finally {
            releaseIfUnused();
        }
    }

    private void releaseIfUnused() {
        if (posted.isEmpty()) {
            session.forget(this);
        }
    }

    private void chunkOver(Part chunk, int code, long bytes) {
        if (session.isDead()) {
            releaseIfUnused();
            return;
        }
        if (code == 0 && (request.push() && bytes != chunk.lengthBytes())) {
            session.fail(ErrorCode.EBADMSG.negativeValue(), "A chunk has a wrong size.");
            return;
        }
        if (code == 0) {
            moved++;
            if (!chunk.arrived()) {
                lost = EFAULT; // the server sends the rest, which must be received
            }
            session.core().countMoved(request.push(), chunk.lengthBytes());
        } else if (failure == 0) {
            if (!request.push() && (chunk.isRefused() || code == EFAULT)) {
                fail(ofMemory(code));
            } else {
                session.transferFailed(code);
            }
            return;
        } else if (request.push()
                && moved < sentByServer
                && code != ErrorCode.ECANCEL.negativeValue()) {
            session.transferFailed(code); // a chunk that the server has sent is gone
            return;
        }
        if (failure != 0 || aborted) {
            settle();
        } else if (moved == chunks) {
            end();
        } else {
            postMore();
        }
    }

    /** One message of it. */
    private final class Part extends Chunk {
        private final int index;

        Part(int index, long from, int sizeBytes) {
            super(exposure.memory(), from, sizeBytes, !request.push());
            this.index = index;
        }

        @Override
        protected void done(int code, long bytes) {
            chunkOver(this, code, bytes);
        }
    }
}
