package org.jbmi.zbmi.host;

import org.jbmi.zbmi.protocol.HandshakeCodec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** A socket of which only the end counts; what comes over it is thrown away. */
record WatchedSocket(SocketChannel channel, Runnable onEnd) {
    /** Its key is ready: tells of the end, once. */
    void look(SelectionKey key) {
        boolean isThere;
        try {
            isThere = channel.read(ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES)) >= 0;
        } catch (IOException e) {
            isThere = false;
        }
        if (!isThere) {
            key.cancel();
            onEnd.run();
        }
    }
}
