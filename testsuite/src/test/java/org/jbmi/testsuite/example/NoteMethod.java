package org.jbmi.testsuite.example;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.Payloads;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The smallest honest method: members of one process on a {@link Board}. Whoever finds its partner
 * waiting copies the message, under the board's lock. What waits for a member lies in that member's
 * table, by sender and tag.
 */
class NoteMethod implements Method {
    private final MethodHost host;
    private final Board board;
    private final MethodLimits limits;
    private final Payloads payloads;
    private final MatchTable table = new MatchTable();
    private final Map<NoteMethod, NoteAddress> addresses = new HashMap<>();
    private final NoteMemory memory = new NoteMemory();
    private long number;
    private boolean closed;

    NoteMethod(MethodHost host, Board board, MethodLimits limits) {
        this.host = host;
        this.board = board;
        this.limits = limits;
        payloads = new Payloads(host.counters().register(7_000_001, "note.copies", "messages"));
    }

    void joined(long asNumber) {
        number = asNumber;
    }

    @Override
    public MethodLimits limits() {
        return limits;
    }

    @Override
    public MethodAddress lookup(String address) {
        if (!address.matches("note://[a-z0-9-]+")) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT, "An address looks like note://name, not " + address);
        }
        synchronized (board) {
            NoteMethod member = board.find(address);
            return member == null ? new NoteAddress(address, null) : record(member, address);
        }
    }

    /** This member's record of another; the same one for as long as the core keeps it. */
    private NoteAddress record(NoteMethod member, String name) {
        return addresses.computeIfAbsent(member, key -> new NoteAddress(name, member));
    }

    @Override
    public long post(Operation operation) {
        synchronized (board) {
            NoteMethod peer = ((NoteAddress) operation.address()).member;
            if (closed) {
                return ErrorCode.ECANCEL.negativeValue();
            }
            if (peer == null) {
                return ErrorCode.ECONNREFUSED.negativeValue();
            }
            operation.attachment(this);
            return switch (operation.kind()) {
                case SEND -> send(operation, peer);
                case RECEIVE -> receive(operation, peer);
                case SEND_UNEXPECTED -> sendUnexpected(operation, peer);
            };
        }
    }

    /** What a tag is filed under. */
    int key(int tag) {
        return tag;
    }

    private long send(Operation send, NoteMethod peer) {
        MatchTable.Entry entry = peer.table.findOrAdd(number, key(send.tag()));
        Operation receive = next(entry.receives());
        if (receive == null) {
            return waits(entry.sends(), send);
        }
        entry.receives().remove(receive);
        peer.table.recycleIfEmpty(entry);
        if (receive.sizeBytes() < send.sizeBytes()) {
            peer.ends(receive, ErrorCode.EMSGSIZE.negativeValue(), 0);
        } else {
            payloads.copy(send, receive);
            peer.ends(receive, 0, send.sizeBytes());
        }
        return send.sizeBytes();
    }

    private long receive(Operation receive, NoteMethod peer) {
        MatchTable.Entry entry = table.findOrAdd(peer.number, key(receive.tag()));
        Operation send = next(entry.sends());
        if (send == null) {
            return waits(entry.receives(), receive);
        }
        if (send.sizeBytes() > receive.sizeBytes()) {
            return ErrorCode.EPROTO.negativeValue();
        }
        entry.sends().remove(send);
        table.recycleIfEmpty(entry);
        fetch(send, receive);
        long size = send.sizeBytes();
        peer.ends(send, 0, size);
        return size;
    }

    /** Copies a message that came before its receive. */
    void fetch(Operation send, Operation receive) {
        payloads.copy(send, receive);
    }

    private long waits(IntrusiveList<Operation> queue, Operation operation) {
        queue.addLast(operation);
        memory.uses(operation, 1);
        return PENDING;
    }

    private void ends(Operation operation, int error, long sizeBytes) {
        memory.uses(operation, -1);
        host.complete(operation, error, sizeBytes);
    }

    /** The oldest one whose time is not over. */
    private static @Nullable Operation next(IntrusiveList<Operation> queue) {
        long nowNs = System.nanoTime();
        Operation first = queue.first();
        while (first != null && first.isExpired(nowNs)) {
            queue.remove(first);
            owner(first).ends(first, ErrorCode.ETIMEDOUT.negativeValue(), 0);
            first = queue.first();
        }
        return first;
    }

    private static NoteMethod owner(Operation operation) {
        return (NoteMethod) Objects.requireNonNull(operation.attachment());
    }

    private long sendUnexpected(Operation send, NoteMethod peer) {
        MemorySegment copy = peer.memory.allocateMessage(send.sizeBytes());
        payloads.copyIn(send, copy, 0);
        peer.host.deliverUnexpected(
                peer.record(this, "note member " + number),
                send.tag(),
                send.messageClass(),
                ErrorCode.SUCCESS,
                copy,
                0,
                send.sizeBytes(),
                copy.address());
        return send.sizeBytes();
    }

    @Override
    public CancelOutcome cancel(Operation operation, long id, int code) {
        synchronized (board) {
            NoteMethod peer =
                    operation.addressOrNull() instanceof NoteAddress address
                            ? address.member
                            : null;
            if (operation.id() != id || peer == null) {
                return CancelOutcome.ALREADY_DONE;
            }
            boolean receives = operation.kind() == OperationKind.RECEIVE;
            MatchTable where = receives ? table : peer.table;
            MatchTable.Entry entry =
                    where.find(receives ? peer.number : number, key(operation.tag()));
            IntrusiveList<Operation> queue =
                    entry == null ? null : receives ? entry.receives() : entry.sends();
            if (entry == null || queue == null || !queue.contains(operation)) {
                return CancelOutcome.ALREADY_DONE;
            }
            queue.remove(operation);
            where.recycleIfEmpty(entry);
            ends(operation, code, 0);
            return CancelOutcome.CANCELLED;
        }
    }

    /** Called with the board's lock: another member is gone, and with it what was between us. */
    void lost(NoteMethod gone) {
        int code = ErrorCode.EPIPE.negativeValue();
        table.drain(
                waiting -> owner(waiting) == gone || isWith(waiting, gone),
                waiting -> {
                    boolean mine = owner(waiting) == this;
                    owner(waiting)
                            .ends(waiting, mine ? code : ErrorCode.ECANCEL.negativeValue(), 0);
                });
        gone.table.drain(waiting -> owner(waiting) == this, waiting -> ends(waiting, code, 0));
        NoteAddress address = addresses.remove(gone);
        if (address != null) {
            address.member = null;
            host.peerFailed(address, code);
        }
    }

    private boolean isWith(Operation waiting, NoteMethod peer) {
        return waiting.addressOrNull() instanceof NoteAddress address && address.member == peer;
    }

    @Override
    public @Nullable MemorySegment memalloc(long sizeBytes) {
        synchronized (board) {
            return closed ? null : memory.allocateBlock(sizeBytes);
        }
    }

    @Override
    public int memfree(MemorySegment block) {
        synchronized (board) {
            return memory.free(block);
        }
    }

    @Override
    public void unexpectedFree(long token) {
        synchronized (board) {
            memory.freeMessage(token);
        }
    }

    @Override
    public void dropped(MethodAddress address) {
        synchronized (board) {
            addresses.values().removeIf(address::equals);
        }
    }

    @Override
    public void close() {
        synchronized (board) {
            if (!closed) {
                closed = true;
                board.leave(this);
                table.drain(
                        waiting -> owner(waiting) == this,
                        waiting -> ends(waiting, ErrorCode.ECANCEL.negativeValue(), 0));
                memory.close();
            }
        }
    }
}
