package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.mempool.os.QueueBuffer;

import java.util.Optional;

/** The message queues of the running system. */
final class MqKernel implements MqSystem {
    @Override
    public Optional<String> unavailabilityReason() {
        return MessageQueues.unavailabilityReason()
                .or(() -> Optional.ofNullable(MqLimits.read().tooSmall()));
    }

    @Override
    public int create(String name, MessageQueues.End end, int depth, int messageBytes) {
        return MessageQueues.create(name, end, depth, messageBytes);
    }

    @Override
    public int open(String name, MessageQueues.End end) {
        return MessageQueues.open(name, end);
    }

    @Override
    public int unlink(String name) {
        return MessageQueues.unlink(name);
    }

    @Override
    public void close(int descriptor) {
        MessageQueues.close(descriptor);
    }

    @Override
    public int send(int descriptor, QueueBuffer buffer, int words) {
        return MessageQueues.send(descriptor, buffer, words);
    }

    @Override
    public int receive(int descriptor, QueueBuffer buffer, long timeoutNs) {
        return MessageQueues.receive(descriptor, buffer, timeoutNs);
    }

    @Override
    public long queued(int descriptor, QueueBuffer buffer) {
        return MessageQueues.queued(descriptor, buffer);
    }

    @Override
    public long depth(int descriptor, QueueBuffer buffer) {
        return MessageQueues.depth(descriptor, buffer);
    }
}
