package org.jbmi.simulator;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A selector that never waits: it says afterwards whether and until when its caller would sleep. It
 * reports in the order of registration, so that a seed does the same again.
 */
final class SimSelector extends AbstractSelector {
    private final World world;
    private final Set<SelectionKey> keys = new LinkedHashSet<>();
    private final Set<SelectionKey> selected = new LinkedHashSet<>();
    private boolean isAsleep;
    private boolean isWoken;
    private boolean isForEver;
    private long sleepUntilNs;

    private static final class Key extends AbstractSelectionKey {
        private final SimSelector of;
        private final SelectableChannel channel;
        private int interest;
        private int ready;

        Key(SimSelector of, SelectableChannel channel, int interest) {
            this.of = of;
            this.channel = channel;
            this.interest = interest;
        }

        @Override
        public SelectableChannel channel() {
            return channel;
        }

        @Override
        public Selector selector() {
            return of;
        }

        @Override
        public int interestOps() {
            return interest;
        }

        @Override
        public SelectionKey interestOps(int operations) {
            interest = operations;
            return this;
        }

        @Override
        public int readyOps() {
            return ready;
        }

        private int look() {
            return isValid() && channel instanceof SimReady now ? now.readyOps() & interest : 0;
        }
    }

    SimSelector(World world) {
        super(SelectorProvider.provider());
        this.world = world;
    }

    /** Whether who called it would sleep in it still. */
    boolean isAsleep() {
        boolean isDue = !isForEver && world.nowNs - sleepUntilNs >= 0;
        if (isAsleep && (isWoken || isDue || isAnyReady())) {
            isAsleep = false;
        }
        return isAsleep;
    }

    private boolean isAnyReady() {
        for (SelectionKey key : keys) {
            if (key instanceof Key own && own.look() != 0) {
                return true;
            }
        }
        return false;
    }

    private int look() {
        for (SelectionKey key : cancelledKeys()) {
            keys.remove(key);
            deregister((AbstractSelectionKey) key);
        }
        cancelledKeys().clear();
        selected.clear();
        for (SelectionKey key : keys) {
            if (key instanceof Key own) {
                own.ready = own.look();
                if (own.ready != 0) {
                    selected.add(own);
                }
            }
        }
        return selected.size();
    }

    @Override
    public int selectNow() {
        isAsleep = false;
        isWoken = false;
        return look();
    }

    @Override
    public int select(long timeoutMs) {
        int count = look();
        isAsleep = count == 0 && !isWoken;
        isWoken = false;
        isForEver = timeoutMs == 0;
        sleepUntilNs = world.nowNs + timeoutMs * 1_000_000;
        return count;
    }

    @Override
    public int select() {
        return select(0);
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeoutMs) {
        return dispatch(action, select(timeoutMs));
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) {
        return dispatch(action, selectNow());
    }

    private int dispatch(Consumer<SelectionKey> action, int count) {
        List<SelectionKey> ready = new ArrayList<>(selected);
        selected.clear();
        ready.forEach(action);
        return count;
    }

    @Override
    public Selector wakeup() {
        isWoken = true;
        return this;
    }

    @Override
    public Set<SelectionKey> keys() {
        return keys;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        return selected;
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object of) {
        Key key = new Key(this, channel, operations);
        key.attach(of);
        keys.add(key);
        return key;
    }

    @Override
    protected void implCloseSelector() {
        keys.clear();
    }
}
