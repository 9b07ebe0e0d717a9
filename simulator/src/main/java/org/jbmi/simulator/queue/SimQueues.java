package org.jbmi.simulator.queue;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.mempool.os.QueueBuffer;
import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.zbmi.host.mq.MqCommandChannelProvider;
import org.jbmi.zbmi.host.mq.MqSystem;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.protocol.SessionArea;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The message queues of a world that one process has open. */
public final class SimQueues extends SimCarrier implements MqSystem {
    private final int depth;
    private final int replyQueues;
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

    private SimQueues(SimProcess process, int depth, int replyQueues, Map<String, Queue> names) {
        super(process);
        this.depth = depth;
        this.replyQueues = replyQueues;
        this.names = names;
    }

    /**
     * The queues of the first process.
     *
     * @param depth the most messages in one queue
     * @param replyQueues the most queues for answers
     */
    public static SimQueues of(SimProcess process, int depth, int replyQueues) {
        return new SimQueues(process, depth, replyQueues, new HashMap<>());
    }

    @Override
    public SimQueues sharedWith(SimProcess other) {
        return new SimQueues(other, depth, replyQueues, names);
    }

    @Override
    public CommandPortProvider provider() {
        return new MqCommandChannelProvider(this, depth, replyQueues);
    }

    @Override
    public void forget() {
        open.clear();
        ends.clear();
    }

    // Not in the queues for answers: an answer whose caller has gone wakes no thread.
    @Override
    public boolean hasUnread(SharedMemory raw, SessionArea area) {
        return hasAny(MessageQueues.End.RECEIVE);
    }

    @Override
    public boolean hasUnreceived(SharedMemory raw, SessionArea area) {
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

    // Half full.
    @Override
    public boolean isTight(SharedMemory raw, SessionArea area) {
        for (int i = 0; i < open.size(); i++) {
            Queue queue = open.get(i);
            boolean isSend = ends.get(i) == MessageQueues.End.SEND;
            if (isSend && 2 * queue.messages.size() >= queue.depth) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void spoil(Dice dice, SharedMemory raw, SessionArea area) {
        for (int i = 0; i < open.size(); i++) {
            Queue queue = open.get(i);
            if (ends.get(i) != MessageQueues.End.SEND) {
                continue;
            }
            long[] last = queue.messages.peekLast();
            if (last != null && last.length > 0 && dice.chance(50)) {
                last[dice.below(last.length)] ^= 1L << dice.below(Long.SIZE);
            } else if (queue.messages.size() < queue.depth) {
                queue.messages.add(garbage(dice));
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
        if (end == MessageQueues.End.RECEIVE_WAITING && process.schedule.dice.chance(15)) {
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
            process.threads.sleepUntilReady(() -> !queue.messages.isEmpty(), timeoutNs);
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
