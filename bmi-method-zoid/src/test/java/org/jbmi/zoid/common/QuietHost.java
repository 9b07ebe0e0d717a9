package org.jbmi.zoid.common;

import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;

import java.lang.foreign.MemorySegment;

/** A host whose method reports ends of operations, and nothing else that matters. */
public abstract class QuietHost implements MethodHost {
    @Override
    public final void deliverUnexpected(
            MethodAddress from,
            int tag,
            int messageClass,
            ErrorCode outcome,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {
        throw new AssertionError("nobody has sent a message");
    }

    @Override
    public final void peerFailed(MethodAddress address, int error) {}

    @Override
    public void wake() {}

    @Override
    public Configuration configuration() {
        throw new AssertionError("nobody asks for knobs");
    }

    @Override
    public Counters counters() {
        throw new AssertionError("nobody asks for counters");
    }

    @Override
    public final <T> T attachment(Class<T> type) {
        return null;
    }
}
