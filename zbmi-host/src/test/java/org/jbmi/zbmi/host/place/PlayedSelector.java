package org.jbmi.zbmi.host.place;

import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/** A selector that never reports anything. */
public class PlayedSelector extends AbstractSelector {
    /** Makes one without keys. */
    protected PlayedSelector(@Nullable SelectorProvider provider) {
        super(provider);
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object with) {
        throw new AssertionError("nobody registers");
    }

    @Override
    public Set<SelectionKey> keys() {
        return Set.of();
    }

    @Override
    public final Set<SelectionKey> selectedKeys() {
        return Set.of();
    }

    @Override
    public final int selectNow() {
        return 0;
    }

    @Override
    public final int select(long timeoutMs) {
        return 0;
    }

    @Override
    public final int select() {
        return 0;
    }

    @Override
    public final Selector wakeup() {
        return this;
    }

    @Override
    protected final void implCloseSelector() {}
}
