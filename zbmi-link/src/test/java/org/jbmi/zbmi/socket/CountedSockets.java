package org.jbmi.zbmi.socket;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketException;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The sockets and selectors of the running system, and which of them are open still. */
final class CountedSockets extends SelectorProvider {
    private final SelectorProvider real = SelectorProvider.provider();
    private final Queue<Channel> channels = new ConcurrentLinkedQueue<>();
    private final Queue<Selector> selectors = new ConcurrentLinkedQueue<>();

    /** The process has no descriptor left, and a channel cannot be opened. */
    boolean isExhausted;

    long openChannels() {
        return channels.stream().filter(Channel::isOpen).count();
    }

    long openSelectors() {
        return selectors.stream().filter(Selector::isOpen).count();
    }

    /** However many were opened: those that are closed count. */
    int selectors() {
        return selectors.size();
    }

    private <T extends Channel> T counted(T channel) {
        channels.add(channel);
        return channel;
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return counted(real.openSocketChannel());
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        if (isExhausted) {
            throw new SocketException("Too many open files");
        }
        return counted(real.openSocketChannel(family));
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        AbstractSelector selector = real.openSelector();
        selectors.add(selector);
        return selector;
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return counted(real.openServerSocketChannel());
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return counted(real.openDatagramChannel());
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return counted(real.openDatagramChannel(family));
    }

    @Override
    public Pipe openPipe() throws IOException {
        return real.openPipe();
    }
}
