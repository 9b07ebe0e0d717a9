package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/** What has happened in a simulated world, and whether it may have. */
final class SimLedger {
    /** A block for an unexpected message that is in use. */
    static final class Block {
        final SimOp message;
        boolean isMoving;
        boolean isDoomed;
        boolean isLent;

        /** It came in a slot of its client while there was no server. */
        boolean isEarly;

        Block(SimOp message, boolean isMoving) {
            this.message = message;
            this.isMoving = isMoving;
        }
    }

    private final Map<Long, SimOp> operations = new HashMap<>();
    private final Map<String, TreeMap<Long, Long>> pairs = new HashMap<>();
    private final Map<String, Long> lastUnexpected = new HashMap<>();
    final Map<Long, Block> blocks = new HashMap<>();
    private long lastUid;
    long movedToServer;
    long movedToClient;
    long unexpectedDelivered;
    long grantsRefused;

    /** Nobody uses some of the blocks any more. */
    void drop(SimSegment segment, BiPredicate<Long, Block> isGone) {
        blocks.entrySet()
                .removeIf(
                        entry -> {
                            boolean goes = isGone.test(entry.getKey(), entry.getValue());
                            if (goes) {
                                segment.unuse(entry.getKey());
                            }
                            return goes;
                        });
    }

    SimOp open(boolean ofServer, SimOp.Kind kind, int client, int life, int tag, long bytes) {
        SimOp op = new SimOp(++lastUid, ofServer, kind, client, life, tag, bytes);
        operations.put(op.uid, op);
        return op;
    }

    SimOp get(long uid) {
        SimOp op = operations.get(uid);
        assertThat(op).as("operation %d", uid).isNotNull();
        return op;
    }

    int size() {
        return operations.size();
    }

    /** A send has reached a receive. Numbers of operations are in the order of their posts. */
    void pair(SimOp send, SimOp receive) {
        assertThat(send.ofServer).isNotEqualTo(receive.ofServer);
        assertThat(send.client).isEqualTo(receive.client);
        assertThat(send.clientLife).isEqualTo(receive.clientLife);
        assertThat(send.tag).isEqualTo(receive.tag);
        assertThat(send.bytes).isLessThanOrEqualTo(receive.bytes);
        String queue = send.client + "/" + send.clientLife + "/" + send.tag + "/" + send.ofServer;
        TreeMap<Long, Long> made = pairs.computeIfAbsent(queue, key -> new TreeMap<>());
        assertThat(made.put(send.uid, receive.uid)).as("%s moved twice", send).isNull();
        Map.Entry<Long, Long> before = made.lowerEntry(send.uid);
        Map.Entry<Long, Long> after = made.higherEntry(send.uid);
        assertThat(before == null || before.getValue() < receive.uid)
                .as("%s to %s after %s", send, receive, before)
                .isTrue();
        assertThat(after == null || after.getValue() > receive.uid)
                .as("%s to %s before %s", send, receive, after)
                .isTrue();
    }

    void unexpectedArrived(SimOp message, int client, int life, int tag, long bytes) {
        assertThat(message.kind).isEqualTo(SimOp.Kind.UNEXPECTED);
        assertThat(message.client).isEqualTo(client);
        assertThat(message.clientLife).isEqualTo(life);
        assertThat(message.tag).isEqualTo(tag);
        assertThat(message.bytes).isEqualTo(bytes);
        assertThat(message.isDelivered).as("%s is delivered once", message).isFalse();
        message.isDelivered = true;
        unexpectedDelivered++;
        Long before = lastUnexpected.put(client + "/" + life, message.uid);
        assertThat(before == null || before < message.uid)
                .as("%s after %s", message, before)
                .isTrue();
    }

    void checkNothingCouldMatch() {
        Map<String, SimOp> waiting = new HashMap<>();
        for (SimOp op : operations.values()) {
            if (op.state != SimOp.State.PENDING || op.kind == SimOp.Kind.UNEXPECTED) {
                continue;
            }
            boolean towardServer = op.ofServer == (op.kind == SimOp.Kind.RECEIVE);
            String queue = op.client + "/" + op.clientLife + "/" + op.tag + "/" + towardServer;
            SimOp other = waiting.put(queue, op);
            assertThat(other == null || other.ofServer == op.ofServer)
                    .as("%s and %s wait for each other", op, other)
                    .isTrue();
        }
    }

    void checkAllReported() {
        List<SimOp> open = new ArrayList<>();
        for (SimOp op : operations.values()) {
            if (op.state != SimOp.State.OVER) {
                open.add(op);
            }
        }
        assertThat(open).isEmpty();
    }
}
