package org.jbmi.zbmi.attach;

import java.io.Closeable;
import java.io.IOException;

/** Closes sockets that nobody uses any more. */
public final class Sockets {
    private Sockets() {}

    /** Closes one. A failure to do so is logged, and nothing else. */
    public static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger(Sockets.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing a socket", e);
        }
    }
}
