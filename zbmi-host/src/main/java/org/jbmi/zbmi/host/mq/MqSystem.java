package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.mempool.os.QueueBuffer;

import java.util.Optional;

/**
 * The message queues of the kernel; a simulation replaces the methods. Every method does what the
 * one of {@link MessageQueues} with its name does.
 */
public interface MqSystem {
    /** The running system. */
    MqSystem KERNEL = new MqSystem() {};

    /** Whether there are any. */
    default Optional<String> unavailabilityReason() {
        return MessageQueues.unavailabilityReason()
                .or(() -> Optional.ofNullable(MqLimits.read().tooSmall()));
    }

    /** Makes a queue, and opens an end of it. */
    default int create(String name, MessageQueues.End end, int depth, int messageBytes) {
        return MessageQueues.create(name, end, depth, messageBytes);
    }

    /** Opens an end of a queue. */
    default int open(String name, MessageQueues.End end) {
        return MessageQueues.open(name, end);
    }

    /** Unlinks a queue. */
    default int unlink(String name) {
        return MessageQueues.unlink(name);
    }

    /** Closes an end. */
    default void close(int descriptor) {
        MessageQueues.close(descriptor);
    }

    /** Sends without waiting. */
    default int send(int descriptor, QueueBuffer buffer, int words) {
        return MessageQueues.send(descriptor, buffer, words);
    }

    /** Receives. */
    default int receive(int descriptor, QueueBuffer buffer, long timeoutNs) {
        return MessageQueues.receive(descriptor, buffer, timeoutNs);
    }

    /** How many messages are in a queue. */
    default long queued(int descriptor, QueueBuffer buffer) {
        return MessageQueues.queued(descriptor, buffer);
    }

    /** How many messages a queue can hold. */
    default long depth(int descriptor, QueueBuffer buffer) {
        return MessageQueues.depth(descriptor, buffer);
    }
}
