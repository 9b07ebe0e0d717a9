package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The client half of the simulated world: posts, cancels and waits as the real one does, and checks
 * that each operation is reported once and that nothing is touched afterwards.
 */
final class RemoteClientSim implements PeerEvents {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();

    private final Random random;
    private final Message message = new Message();
    private final RemoteOperation[] slots = new RemoteOperation[LinkWorld.MAX_OPERATIONS];
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    final List<RemoteOperation> all = new ArrayList<>();
    private SocketClientLink link;
    private long lastCorrelation;
    private long armed;
    private int generation;
    int voids;
    int cancels;

    RemoteClientSim(Random random) {
        this.random = random;
    }

    void use(SocketClientLink newLink) {
        link = newLink;
    }

    RemoteOperation post(OperationKind kind, int number, int tag) {
        return post(kind, number, tag, buffers(kind));
    }

    RemoteOperation post(OperationKind kind, int number, int tag, List<byte[]> buffers) {
        int index = freeSlot();
        if (index < 0) {
            return null;
        }
        long reference = (long) ++generation << 32 | index;
        RemoteOperation operation = new RemoteOperation(kind, reference, number, tag, buffers);
        operation.fill(kind != OperationKind.RECEIVE);
        if (!send(operation)) {
            if (operation.eagerSlot >= 0) {
                link.releaseEagerSlot(operation.eagerSlot);
            }
            return null;
        }
        slots[index] = operation;
        all.add(operation);
        return operation;
    }

    private int freeSlot() {
        int index = random.nextInt(slots.length);
        return slots[index] == null ? index : -1;
    }

    private List<byte[]> buffers(OperationKind kind) {
        int largest = kind == OperationKind.SEND_UNEXPECTED ? 8000 : 300_000;
        int[] sizes = {0, 1 + random.nextInt(64), random.nextInt(1024), random.nextInt(largest)};
        int size = sizes[random.nextInt(sizes.length)];
        if (kind == OperationKind.RECEIVE) {
            size = 300_000;
        }
        List<byte[]> parts = new ArrayList<>();
        while (size > 0 && parts.size() < 5) {
            int part = parts.size() == 4 ? size : random.nextInt(size + 1);
            parts.add(new byte[part]);
            size -= part;
        }
        return parts.isEmpty() ? List.of(new byte[0]) : parts;
    }

    private boolean send(RemoteOperation operation) {
        long correlation = --lastCorrelation;
        if (operation.kind() == OperationKind.RECEIVE) {
            ClientRequests.receive(
                    message,
                    correlation,
                    operation.reference,
                    operation.tag(),
                    operation.sizeBytes(),
                    0,
                    ClientRequests.NO_DATA_ROOM);
            return link.note(message, 0) == PeerChannel.OK;
        }
        if (operation.sizeBytes() <= 1024) {
            announce(operation);
        }
        if (operation.kind() == OperationKind.SEND) {
            ClientRequests.send(
                    message,
                    correlation,
                    operation.reference,
                    operation.tag(),
                    operation.sizeBytes(),
                    0,
                    operation.eagerSlot,
                    operation.eagerSequence);
        } else {
            ClientRequests.sendUnexpected(
                    message,
                    correlation,
                    operation.reference,
                    operation.tag(),
                    0,
                    operation.sizeBytes(),
                    0,
                    operation.eagerSlot,
                    operation.eagerSequence);
        }
        return link.note(message, 0) == PeerChannel.OK;
    }

    private void announce(RemoteOperation operation) {
        operation.eagerSlot = link.takeEagerSlot();
        if (operation.eagerSlot < 0) {
            return;
        }
        int position = 0;
        for (int i = 0; i < operation.bufferCount(); i++) {
            int length = (int) operation.buffer(i).byteSize();
            link.putEager(operation.eagerSlot, position, operation.buffer(i), 0, length);
            position += length;
        }
        operation.eagerSequence = link.announceEager(operation.eagerSlot);
    }

    /** Cancels something that is pending. */
    void cancelOne() {
        RemoteOperation operation = slots[random.nextInt(slots.length)];
        if (operation == null || operation.state == RemoteOperation.State.OVER) {
            return;
        }
        operation.isCancelled = true;
        cancels++;
        if (operation.state != RemoteOperation.State.PENDING) {
            return;
        }
        if (operation.eagerSlot >= 0) {
            assertThat(link.withdrawEager(operation.eagerSlot, operation.eagerSequence)).isFalse();
            link.recallEager(operation.eagerSlot, operation.reference);
        } else {
            withdraw(operation);
        }
    }

    private void withdraw(RemoteOperation operation) {
        over(operation, CANCELLED, 0);
        long id = operation.operationId;
        deferred.add(
                () -> {
                    ClientRequests.withdraw(message, id, operation.reference);
                    if (link.note(message, 0) != PeerChannel.OK) {
                        deferred.add(() -> withdrawAgain(id, operation.reference));
                    }
                });
    }

    private void withdrawAgain(long id, long reference) {
        ClientRequests.withdraw(message, id, reference);
        if (link.note(message, 0) != PeerChannel.OK) {
            deferred.add(() -> withdrawAgain(id, reference));
        }
    }

    void waitOrLeave() {
        if (armed == 0) {
            armed = --lastCorrelation;
            if (link.note(ClientRequests.test(message, armed, 1_000_000), 0) != PeerChannel.OK) {
                armed = 0;
            }
        } else if (link.note(ClientRequests.disarm(message, armed), 0) == PeerChannel.OK) {
            armed = 0;
        }
    }

    void beIn() {
        if (armed == 0) {
            waitOrLeave();
        }
    }

    void runDeferred() {
        for (int i = deferred.size(); i > 0; i--) {
            deferred.remove().run();
        }
    }

    boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    @Override
    public void onEvent(Message event) {
        if (event.kind() == ClientEvents.TEST_REPLY) {
            if (ClientEvents.correlation(event) == armed) {
                armed = 0;
            }
            return;
        }
        long reference = ClientEvents.reference(event);
        RemoteOperation operation = slots[(int) reference];
        if (operation == null || operation.reference != reference) {
            return; // withdrawn
        }
        switch (event.kind()) {
            case ClientEvents.PENDING -> pending(operation, event);
            case ClientEvents.GRANT -> granted(operation, event);
            case ClientEvents.COMPLETED -> over(operation, 0, ClientEvents.completedBytes(event));
            default -> over(operation, ClientEvents.failedCode(event), 0);
        }
    }

    private void pending(RemoteOperation operation, Message event) {
        if (operation.state == RemoteOperation.State.MOVING) {
            voids++;
        }
        operation.operationId = ClientEvents.operationId(event);
        operation.state = RemoteOperation.State.PENDING;
        if (operation.isCancelled) {
            if (operation.eagerSlot >= 0) {
                link.recallEager(operation.eagerSlot, operation.reference);
            } else {
                withdraw(operation);
            }
        }
    }

    private void granted(RemoteOperation operation, Message event) {
        if (operation.state == RemoteOperation.State.MOVING) {
            pending(operation, event); // the claim was void, and another offer stands
        }
        operation.operationId = ClientEvents.operationId(event);
        if (operation.isCancelled) {
            if (operation.state != RemoteOperation.State.OVER) {
                withdraw(operation);
            }
            return;
        }
        assertThat(link.claim(event)).isTrue();
        Message grant = new Message();
        grant.copyFrom(event);
        operation.state = RemoteOperation.State.MOVING;
        deferred.add(() -> start(operation, grant));
    }

    private void start(RemoteOperation operation, Message grant) {
        int result = link.startMove(operation, grant);
        if (result == ClientLink.VOIDED) {
            pending(operation, grant);
        } else if (result <= 0) {
            over(operation, result, result == 0 ? ClientEvents.grantBytes(grant) : 0);
        }
    }

    private void over(RemoteOperation operation, int code, long bytes) {
        assertThat(operation.state).isNotEqualTo(RemoteOperation.State.OVER);
        operation.state = RemoteOperation.State.OVER;
        operation.outcome = code;
        operation.outcomeBytes = bytes;
        operation.reports++;
        slots[(int) operation.reference] = null;
        if (operation.eagerSlot >= 0) {
            link.releaseEagerSlot(operation.eagerSlot);
        }
        if (operation.kind() == OperationKind.RECEIVE) {
            checkReceived(operation);
        }
        // From now on the memory is the program's: whoever reads or writes it is found out.
        scribble(operation);
    }

    private static void checkReceived(RemoteOperation operation) {
        byte[] bytes = operation.bytes();
        if (operation.outcome == CANCELLED) {
            byte[] blank = new byte[bytes.length];
            Arrays.fill(blank, RemoteOperation.BLANK);
            assertThat(bytes).as("the buffer of a cancelled receive").isEqualTo(blank);
        }
    }

    /** What a receive got, kept before its buffer was given back. */
    private static void scribble(RemoteOperation operation) {
        operation.received = operation.bytes().clone();
        for (int i = 0; i < operation.bufferCount(); i++) {
            operation.buffer(i).fill((byte) 0x77);
        }
    }

    /** Nobody has touched a buffer since its operation was reported. */
    void checkUntouched() {
        for (RemoteOperation operation : all) {
            if (operation.state == RemoteOperation.State.OVER) {
                byte[] now = operation.bytes();
                byte[] left = new byte[now.length];
                Arrays.fill(left, (byte) 0x77);
                assertThat(now).as("operation %d", operation.number).isEqualTo(left);
            }
        }
    }

    @Override
    public void onBroken(String reason) {
        throw new AssertionError(reason);
    }
}
