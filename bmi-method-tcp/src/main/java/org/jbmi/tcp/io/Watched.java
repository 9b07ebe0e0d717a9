package org.jbmi.tcp.io;

import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectionKey;

/** A socket whose events the selector reports; it is the attachment of its key. */
public abstract class Watched extends LinkedNode {
    /** Set by {@link Sockets#register}; null before. */
    @Nullable SelectionKey key;

    /** What is to be reported; guarded by the {@link Interests}. */
    int interest;

    /** Makes a socket of which nothing is reported yet. */
    protected Watched() {}
}
