package org.jbmi.zbmi.engine;

/** What the engine knows of the server process. */
final class ServerSession {
    /** A server is there and has not said its farewell. */
    boolean isAttached;

    /** One is gone of which it is not proved that its process is. */
    boolean awaitsProof;

    int generation;

    final OwnedOperations operations = new OwnedOperations();

    /** Transfers into or out of the expected region whose server has been forgotten. */
    int orphanMovers;

    /** Blocks that the server has. */
    final BlockList lent = new BlockList();

    /** Blocks that a server has of which it is not proved that its process is gone. */
    final BlockList stranded = new BlockList();

    long lastMessageId;
}
