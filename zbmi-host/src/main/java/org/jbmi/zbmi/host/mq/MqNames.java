package org.jbmi.zbmi.host.mq;

import org.jbmi.zbmi.protocol.handshake.Welcome;

/**
 * The names of the queues that belong to a segment. Both sides compute them, and so does a process
 * that finds the segment of a dead daemon. A name is needed until both sides have opened the queue.
 * Then it is unlinked. The kernel removes the queue when the last process closes it.
 */
record MqNames(long daemonPid, long segmentGeneration) {
    /** Most reply queues of a server. */
    static final int MAX_REPLY_QUEUES = 64;

    static MqNames of(Welcome welcome) {
        return new MqNames(welcome.daemonPid(), welcome.segmentGeneration());
    }

    /** From the server to the engine. */
    String command() {
        return prefix() + "c";
    }

    /** From the engine to the server: events, and replies without a queue of their own. */
    String events() {
        return prefix() + "e";
    }

    /** From the engine to one thread of the server at a time. */
    String reply(int index) {
        return prefix() + "r" + index;
    }

    private String prefix() {
        return "/zbmi-" + daemonPid + "-" + Long.toHexString(segmentGeneration) + "-";
    }

    /** Unlinks every name that may be left; returns how many there were. */
    int unlinkAll(MqSystem system) {
        int removed = unlink(system, command()) + unlink(system, events());
        for (int i = 0; i < MAX_REPLY_QUEUES; i++) {
            removed += unlink(system, reply(i));
        }
        return removed;
    }

    private static int unlink(MqSystem system, String name) {
        return system.unlink(name) == 0 ? 1 : 0;
    }
}
