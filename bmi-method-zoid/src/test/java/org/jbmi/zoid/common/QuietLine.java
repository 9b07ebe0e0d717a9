package org.jbmi.zoid.common;

import org.jbmi.zbmi.link.PeerLine;

import java.nio.channels.SelectableChannel;

/** A line on which nothing comes by itself, and nobody sleeps. */
public interface QuietLine extends PeerLine {
    @Override
    default int progress() {
        return 0;
    }

    @Override
    default boolean prepareSleep(boolean inSelector) {
        return false;
    }

    @Override
    default void sleep(long timeoutNs) {}

    @Override
    default void finishSleep() {}

    @Override
    default void wake() {}

    @Override
    default SelectableChannel selectable() {
        return null;
    }

    @Override
    default String brokenReason() {
        return null;
    }

    @Override
    default void end(String reason) {}

    @Override
    default void close() {}
}
