package org.jbmi.zbmi.engine;

import org.jbmi.spi.IntrusiveList;

/** The engine's state of the server process. */
final class ServerSession {
    /** Whether a server is attached and has not said goodbye. */
    boolean isAttached;

    /** Whether a server has gone whose process may still live. */
    boolean awaitsProof;

    int generation;

    final IntrusiveList<Operation.Registration> operations = new IntrusiveList<>();

    /** Transfers of the expected region whose server has gone. */
    int orphanMovers;

    /** Blocks that are lent to the server. */
    final IntrusiveList<UnexpectedBlock> lent = new IntrusiveList<>();

    /** Blocks that are lent to a server which has gone and whose process may still live. */
    final IntrusiveList<UnexpectedBlock> stranded = new IntrusiveList<>();

    long lastMessageId;
}
