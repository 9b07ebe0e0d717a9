package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A selector that lost something since it found no memory; the errors are played. */
class MemoryShortageTest {
    private static final int PAUSES = 20;

    private final List<String> errors = new ArrayList<>();
    private final KeysOnly selector = new KeysOnly();
    private final MemoryShortage shortage =
            new MemoryShortage(selector, new ErrorLog(errors::add), "There was none.");

    private static final class KeysOnly extends PlayedSelector {
        private final Set<SelectionKey> keys = new LinkedHashSet<>();

        KeysOnly() {
            super(null);
        }

        @Override
        public Set<SelectionKey> keys() {
            return keys;
        }
    }

    private final class PlayedKey extends SelectionKey {
        private final SelectableChannel channel;
        private final List<Integer> told = new ArrayList<>();
        private boolean isFailing;
        private boolean isValid = true;
        private int operations = OP_READ;

        PlayedKey(SelectableChannel channel) {
            this.channel = channel;
            selector.keys.add(this);
        }

        @Override
        public SelectableChannel channel() {
            return channel;
        }

        @Override
        public Selector selector() {
            return selector;
        }

        @Override
        public boolean isValid() {
            return isValid;
        }

        @Override
        public void cancel() {
            isValid = false;
        }

        @Override
        public int interestOps() {
            return operations;
        }

        @Override
        public SelectionKey interestOps(int ops) {
            if (ops != operations) {
                operations = ops;
                if (isFailing) {
                    isFailing = false;
                    throw new OutOfMemoryError("played");
                }
                told.add(ops);
            }
            return this;
        }

        @Override
        public int readyOps() {
            return 0;
        }
    }

    @Test
    void aSelectorIsToldAgainWhatToWaitFor() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            PlayedKey key = new PlayedKey(channel);
            assertThat(shortage.end()).isFalse();
            shortage.begin();
            assertThat(shortage.end()).isTrue();
            assertThat(key.told).hasSize(2).endsWith(SelectionKey.OP_READ);
            assertThat(shortage.end()).isFalse();
            assertThat(key.told).hasSize(2);
        }
    }

    @Test
    void itIsToldLaterIfThereStillIsNoMemory() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            PlayedKey key = new PlayedKey(channel);
            key.isFailing = true;
            OutOfMemoryError error = new OutOfMemoryError("played");
            shortage.pause(error);
            assertThatThrownBy(shortage::end).isInstanceOf(OutOfMemoryError.class);
            shortage.pause(error);
            assertThat(shortage.end()).isTrue();
            assertThat(key.told).endsWith(SelectionKey.OP_READ);
            assertThat(errors).as("each shortage, once").containsExactly("There was none.");
        }
    }

    @Test
    void itIsSaidAfterTheShortageIfThereIsNoMemoryForThat() {
        Logger logger = Logger.getLogger(MemoryShortage.class.getName());
        Handler failing = new FailsOnce();
        logger.addHandler(failing);
        try {
            shortage.pause(new OutOfMemoryError("played"));
            assertThat(errors).isEmpty();
            shortage.end();
            shortage.end();
            shortage.end();
            assertThat(errors).containsExactly("There was none.");
        } finally {
            logger.removeHandler(failing);
        }
    }

    @Test
    void aThreadThatIsInterruptedPausesToo() {
        OutOfMemoryError error = new OutOfMemoryError("played");
        shortage.pause(error); // says so
        Thread.currentThread().interrupt();
        long startNs = System.nanoTime();
        for (int i = 0; i < PAUSES; i++) {
            shortage.pause(error);
        }
        long tookNs = System.nanoTime() - startNs;
        assertThat(Thread.interrupted()).isTrue();
        assertThat(tookNs).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(PAUSES) / 2);
    }

    private static final class FailsOnce extends Handler {
        private boolean hasFailed;

        @Override
        public void publish(LogRecord record) {
            if (!hasFailed) {
                hasFailed = true;
                throw new OutOfMemoryError("played");
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** The key would get the events of the next channel with the same descriptor. */
    @Test
    void aKeyOfAChannelThatIsClosedDoesNotStay() throws IOException {
        SocketChannel channel = SocketChannel.open();
        PlayedKey key = new PlayedKey(channel);
        channel.close();
        shortage.begin();
        shortage.end();
        assertThat(key.isValid()).isFalse();
    }
}
