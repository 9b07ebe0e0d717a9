package org.jbmi.zbmi.engine;

/** The engine's state of the server process. */
final class ServerSession {
    /** Whether a server is attached and has not said goodbye. */
    boolean isAttached;

    /** Whether a server has gone whose process may still live. */
    boolean awaitsProof;

    int generation;

    final OwnedOperations operations = new OwnedOperations();

    /** Transfers of the expected region whose server has gone. */
    int orphanMovers;

    /** Blocks that are lent to the server. */
    final BlockList lent = new BlockList();

    /** Blocks that are lent to a server which has gone and whose process may still live. */
    final BlockList stranded = new BlockList();

    long lastMessageId;
}
