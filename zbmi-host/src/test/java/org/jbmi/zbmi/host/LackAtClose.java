package org.jbmi.zbmi.host;

import org.jbmi.zbmi.host.place.PlayedSelector;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.SelectorProvider;

/** A second selector of a socket; the close of the socket then fails for lack of memory, played. */
final class LackAtClose extends PlayedSelector {
    private LackAtClose(SelectorProvider provider) {
        super(provider);
    }

    /** The next close of a socket shuts it down, and then finds no memory. */
    static void of(SocketChannel channel) throws IOException {
        channel.register(new LackAtClose(channel.provider()), SelectionKey.OP_READ);
    }

    /** A close asks for the selector to cancel the key. */
    private final class LackingKey extends AbstractSelectionKey {
        private final SelectableChannel channel;

        LackingKey(SelectableChannel channel) {
            this.channel = channel;
        }

        @Override
        public SelectableChannel channel() {
            return channel;
        }

        @Override
        public Selector selector() {
            deregister(this); // so that the socket does not stay open
            throw new OutOfMemoryError("played");
        }

        @Override
        public int interestOps() {
            return OP_READ;
        }

        @Override
        public SelectionKey interestOps(int ops) {
            return this;
        }

        @Override
        public int readyOps() {
            return 0;
        }
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object with) {
        return new LackingKey(channel);
    }
}
