package org.jbmi.zoid.common;

import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.Message;

import java.nio.channels.SelectableChannel;

/** A channel on which nothing comes by itself, and nobody sleeps. */
public interface QuietChannel extends PeerChannel {
    @Override
    default int progress() {
        return 0;
    }

    @Override
    default int tell(Message note) {
        return note(note, 0);
    }

    @Override
    default boolean hasUnsaid() {
        return false;
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
