package org.jbmi.zoid.server;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;

/** What the server half counts. */
final class ServerCounters {
    private static final int FIRST_ID = 3000;

    final Counter copies;
    final Counter unaligned;
    final Counter commands;
    final Counter immediate;
    final Counter noMemoryWaits;
    final Counter unexpectedReceived;
    final Counter leakedBlocks;
    final Counter protocolErrors;

    /** Sends that were over without an operation. They are in none of the other counters. */
    final Counter sentAtOnce;

    ServerCounters(Counters counters) {
        copies = counters.register(FIRST_ID, "zoid.server.copies", "messages");
        unaligned = counters.register(FIRST_ID + 1, "zoid.server.unalignedBuffers", "buffers");
        commands = counters.register(FIRST_ID + 2, "zoid.server.commands", "calls");
        immediate =
                counters.register(FIRST_ID + 3, "zoid.server.immediateCompletions", "operations");
        noMemoryWaits = counters.register(FIRST_ID + 4, "zoid.server.noMemoryWaits", "operations");
        unexpectedReceived =
                counters.register(FIRST_ID + 5, "zoid.server.unexpectedReceived", "messages");
        leakedBlocks = counters.register(FIRST_ID + 6, "zoid.server.leakedBlocks", "blocks");
        sentAtOnce = counters.register(FIRST_ID + 8, "zoid.server.sentAtOnce", "messages");
        protocolErrors = counters.register(FIRST_ID + 7, "zoid.server.protocolErrors", "messages");
    }
}
