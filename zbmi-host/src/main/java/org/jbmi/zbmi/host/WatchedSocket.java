package org.jbmi.zbmi.host;

import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** A socket of which only the end matters; bytes that come are dropped. */
record WatchedSocket(SocketChannel channel, Runnable onEnd) {
    /** Its key is ready: reports the end, once. */
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
