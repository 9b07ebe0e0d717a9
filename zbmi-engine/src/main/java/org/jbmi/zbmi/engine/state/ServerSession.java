package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.IntrusiveList;

/** The engine's state of the server process. */
public final class ServerSession {
    /** Whether a server is attached and has not said goodbye. */
    public boolean isAttached;

    /** Whether a server has gone whose process may still live. */
    public boolean awaitsProof;

    public final IntrusiveList<Operation.Registration> operations = new IntrusiveList<>();

    /** Transfers of the expected region whose server has gone. */
    public int orphanMovers;

    /** Blocks that are lent to the server. */
    public final IntrusiveList<UnexpectedBlock> lent = new IntrusiveList<>();

    /** Blocks that are lent to a server which has gone and whose process may still live. */
    public final IntrusiveList<UnexpectedBlock> stranded = new IntrusiveList<>();

    public long lastMessageId;
}
