package org.jbmi.zbmi.attach;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Fills the queue of connections of a Unix-domain socket from which nobody accepts. */
public final class FullQueue {
    private FullQueue() {}

    /** {@return connections that fill it, to be closed by the caller} */
    public static List<SocketChannel> fill(SocketAddress address) throws IOException {
        List<SocketChannel> others = new ArrayList<>();
        while (true) {
            SocketChannel other = SocketChannel.open(StandardProtocolFamily.UNIX);
            other.configureBlocking(false);
            try {
                other.connect(address);
                others.add(other);
            } catch (SocketException e) {
                other.close();
                return others;
            }
        }
    }

    /** Closes them. */
    public static void closeAll(List<SocketChannel> channels) throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
