package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Refused;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A connection to a host's socket that is no session: it asks one question at a time and waits for
 * the answer. Not thread-safe.
 */
public final class Inquiry implements AutoCloseable {
    private final Path path;
    private final NanoClock clock;
    private final long timeoutNs;
    private final HandshakeSocket socket;

    private Inquiry(Path path, NanoClock clock, long timeoutNs) {
        this.path = path;
        this.clock = clock;
        this.timeoutNs = timeoutNs;
        this.socket = HandshakeSocket.connect(path, clock, clock.nanoTime() + timeoutNs);
    }

    /**
     * Connects.
     *
     * @param timeoutNs time for the connection, and again for each question
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if no process listens there
     */
    public static Inquiry connect(Path path, NanoClock clock, long timeoutNs) {
        return new Inquiry(path, clock, timeoutNs);
    }

    /**
     * Asks, and waits for the answer.
     *
     * @param question a question of {@link org.jbmi.zbmi.protocol.handshake.HandshakeCodec}
     * @return the answer, of any kind, decoded and checked
     * @throws BmiException with {@link ErrorCode#ETIMEDOUT} if the time is over. With {@link
     *     ErrorCode#ENETDOWN} if the host ends before it answers. With the host's own code if it
     *     refuses. With {@link ErrorCode#EPROTO} if it cannot be understood
     */
    public HandshakeFrame ask(HandshakeFrame question) {
        try {
            socket.waitUntil(clock.nanoTime() + timeoutNs);
            socket.send(question);
            HandshakeFrame answer = socket.receive();
            if (answer instanceof Refused refused) {
                throw refused.asException();
            }
            return answer;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EPROTO, "The host at " + path + ": " + e.getMessage() + ".", e);
        }
    }

    @Override
    public void close() {
        socket.closeUnlessReleased();
    }
}
