package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.mempool.os.QueueBuffer;

import java.util.Optional;

/**
 * The message queues of the kernel, or of a simulation. Every method does what the one of {@link
 * MessageQueues} with its name does.
 */
public interface MqSystem {
    /** The running system. */
    MqSystem KERNEL = new MqKernel();

    /** Whether there are any. */
    Optional<String> unavailabilityReason();

    /** Makes a queue, and opens an end of it. */
    int create(String name, MessageQueues.End end, int depth, int messageBytes);

    /** Opens an end of a queue. */
    int open(String name, MessageQueues.End end);

    /** Unlinks a queue. */
    int unlink(String name);

    /** Closes an end. */
    void close(int descriptor);

    /** Sends without waiting. */
    int send(int descriptor, QueueBuffer buffer, int words);

    /** Receives. */
    int receive(int descriptor, QueueBuffer buffer, long timeoutNs);

    /** How many messages are in a queue. */
    long queued(int descriptor, QueueBuffer buffer);

    /** How many messages a queue can hold. */
    long depth(int descriptor, QueueBuffer buffer);
}
