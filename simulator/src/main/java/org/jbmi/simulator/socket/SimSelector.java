package org.jbmi.simulator.socket;

import org.jbmi.simulator.process.Schedule;
import org.jbmi.simulator.process.SimProcess;
import org.jspecify.annotations.Nullable;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
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
 * A selector in which a thread of its owner sleeps, or one that never waits. Then it tells whether
 * and until when its caller would sleep. It reports in the order of registration, so that a seed
 * repeats a run.
 */
public final class SimSelector extends AbstractSelector {
    /** A channel that it can check. */
    interface Ready {
        /** The operations of a selection key that would not wait now. */
        int readyOps();
    }

    private final Schedule schedule;
    private final @Nullable SimProcess owner;
    private final Set<SelectionKey> keys = new LinkedHashSet<>();
    private final Set<SelectionKey> selected = new LinkedHashSet<>();
    private boolean isAsleep;
    private boolean isWoken;
    private boolean isForEver;
    private long sleepUntilNs;
    private boolean isEntered;
    private boolean isForgotten;
    private boolean isInherited;

    /** Whether it never waits although it has an owner. */
    public boolean isLazy;

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
            checkValid();
            return interest;
        }

        private void checkValid() {
            if (!isValid()) {
                throw new CancelledKeyException();
            }
        }

        @Override
        public SelectionKey interestOps(int operations) {
            checkValid();
            interest = operations;
            return this;
        }

        @Override
        public int readyOps() {
            return ready;
        }

        private int look() {
            return isValid() && channel instanceof Ready now ? now.readyOps() & interest : 0;
        }
    }

    /**
     * A selector.
     *
     * @param owner the process whose threads sleep in it; null if it never waits
     */
    public SimSelector(Schedule schedule, @Nullable SimProcess owner) {
        super(SelectorProvider.provider());
        this.schedule = schedule;
        this.owner = owner;
    }

    /**
     * Whether a thread that sleeps in it would go on now and wake the next one. Bytes to read are
     * reported until they are read; everything else is reported once.
     */
    public boolean lets() {
        if (!isEntered || !isCalled()) {
            return false;
        }
        boolean isNews = !isInherited || isAnyReadable();
        isInherited = true;
        return isNews;
    }

    private boolean isCalled() {
        return isWoken || !isOpen() || isAnyReady();
    }

    /** Whether its caller would still sleep in it. */
    public boolean isAsleep() {
        boolean isDue = !isForEver && schedule.nowNs() - sleepUntilNs >= 0;
        if (isAsleep && (isDue || isCalled())) {
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

    private boolean isAnyReadable() {
        for (SelectionKey key : keys) {
            if (key instanceof Key own && (own.look() & SelectionKey.OP_READ) != 0) {
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
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
        SimProcess sleeper = owner;
        if (sleeper == null || isLazy) {
            return selectLazily(timeoutMs);
        }
        if (isEntered) {
            throw schedule.fail("two threads of " + sleeper + " select at a time");
        }
        int count = look();
        if (count == 0) {
            isEntered = true;
            isInherited = false;
            try {
                long timeoutNs = timeoutMs == 0 ? Long.MAX_VALUE / 4 : timeoutMs * 1_000_000;
                sleeper.threads.sleep(this::isCalled, () -> isForgotten, timeoutNs);
            } finally {
                isEntered = false;
                isForgotten = false;
            }
            count = isOpen() ? look() : 0;
        }
        isWoken = false;
        return count;
    }

    private int selectLazily(long timeoutMs) {
        int count = look();
        isAsleep = count == 0 && !isWoken;
        isWoken = false;
        isForEver = timeoutMs == 0;
        sleepUntilNs = schedule.nowNs() + timeoutMs * 1_000_000;
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
        if (owner != null && isEntered && schedule.losesWake()) {
            isForgotten = true;
        } else {
            isWoken = true;
        }
        return this;
    }

    @Override
    public Set<SelectionKey> keys() {
        return keys;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
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
