package org.jbmi.simulator;

import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.mempool.os.QueueBuffer;
import org.jbmi.zbmi.channel.mq.MqSystem;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The message queues of a world, as one process has them open. */
final class SimQueues implements MqSystem {
    private static final int MOST_WORDS = 15;

    private final SimProcess process;
    private final Map<String, Queue> names;
    private final List<Queue> open = new ArrayList<>();
    private final List<MessageQueues.End> ends = new ArrayList<>();

    private static final class Queue {
        private final int depth;
        private final Deque<long[]> messages = new ArrayDeque<>();

        Queue(int depth) {
            this.depth = depth;
        }
    }

    private SimQueues(SimProcess process, Map<String, Queue> names) {
        this.process = process;
        this.names = names;
    }

    /** Those of the first process. */
    static SimQueues of(SimProcess process) {
        return new SimQueues(process, new HashMap<>());
    }

    /** The same queues, for another process. */
    SimQueues sharedWith(SimProcess other) {
        return new SimQueues(other, names);
    }

    /** Its process has ended; what has a name stays. */
    void forget() {
        open.clear();
        ends.clear();
    }

    /**
     * Whether there is anything for it to receive. Not in the queues for answers: one that comes
     * after its caller has gone wakes nobody.
     */
    boolean hasUnread() {
        return hasAny(MessageQueues.End.RECEIVE);
    }

    /** Whether what it has sent was not received. */
    boolean hasUnheard() {
        return hasAny(MessageQueues.End.SEND);
    }

    private boolean hasAny(MessageQueues.End end) {
        for (int i = 0; i < open.size(); i++) {
            if (ends.get(i) == end && !open.get(i).messages.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a queue in which it sends is half full. */
    boolean isTight() {
        for (int i = 0; i < open.size(); i++) {
            Queue queue = open.get(i);
            boolean isSend = ends.get(i) == MessageQueues.End.SEND;
            if (isSend && 2 * queue.messages.size() >= queue.depth) {
                return true;
            }
        }
        return false;
    }

    /** Puts nonsense where it sends, or into what it has sent. */
    void spoil(Dice dice) {
        for (int i = 0; i < open.size(); i++) {
            Queue queue = open.get(i);
            if (ends.get(i) != MessageQueues.End.SEND) {
                continue;
            }
            long[] last = queue.messages.peekLast();
            if (last != null && last.length > 0 && dice.chance(50)) {
                last[dice.below(last.length)] ^= 1L << dice.below(Long.SIZE);
            } else if (queue.messages.size() < queue.depth) {
                long[] nonsense = new long[dice.below(MOST_WORDS)];
                for (int word = 0; word < nonsense.length; word++) {
                    nonsense[word] = dice.chance(50) ? dice.next() : dice.below(40);
                }
                queue.messages.add(nonsense);
            }
        }
    }

    @Override
    public Optional<String> unavailabilityReason() {
        return Optional.empty();
    }

    private int opened(Queue queue, MessageQueues.End end) {
        open.add(queue);
        ends.add(end);
        return open.size() - 1;
    }

    @Override
    public int create(String name, MessageQueues.End end, int depth, int messageBytes) {
        process.touch();
        if (names.containsKey(name)) {
            return -Errno.EEXIST;
        }
        if (end == MessageQueues.End.RECEIVE_WAITING && process.world.dice.chance(15)) {
            return -Errno.EMFILE;
        }
        Queue queue = new Queue(depth);
        names.put(name, queue);
        return opened(queue, end);
    }

    @Override
    public int open(String name, MessageQueues.End end) {
        process.touch();
        Queue queue = names.get(name);
        return queue == null ? -Errno.ENOENT : opened(queue, end);
    }

    @Override
    public int unlink(String name) {
        return names.remove(name) == null ? -Errno.ENOENT : 0;
    }

    @Override
    public void close(int descriptor) {
        open.set(descriptor, new Queue(0));
    }

    @Override
    public int send(int descriptor, QueueBuffer buffer, int words) {
        process.touch();
        Queue queue = open.get(descriptor);
        if (queue.messages.size() >= queue.depth) {
            return -Errno.EAGAIN;
        }
        long[] message = new long[words];
        for (int i = 0; i < words; i++) {
            message[i] = buffer.word(i);
        }
        queue.messages.add(message);
        process.touch();
        return 0;
    }

    @Override
    public int receive(int descriptor, QueueBuffer buffer, long timeoutNs) {
        process.touch();
        Queue queue = open.get(descriptor);
        boolean waits = ends.get(descriptor) == MessageQueues.End.RECEIVE_WAITING && timeoutNs > 0;
        if (waits && queue.messages.isEmpty()) {
            process.sleepUntil(() -> !queue.messages.isEmpty(), () -> false, timeoutNs);
        }
        long[] message = queue.messages.poll();
        if (message == null) {
            return waits ? -Errno.ETIMEDOUT : -Errno.EAGAIN;
        }
        for (int i = 0; i < message.length; i++) {
            buffer.setWord(i, message[i]);
        }
        return message.length * Long.BYTES;
    }

    @Override
    public long queued(int descriptor, QueueBuffer buffer) {
        process.touch();
        return open.get(descriptor).messages.size();
    }

    @Override
    public long depth(int descriptor, QueueBuffer buffer) {
        return open.get(descriptor).depth;
    }
}
