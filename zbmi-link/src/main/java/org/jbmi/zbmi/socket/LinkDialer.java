package org.jbmi.zbmi.socket;

import jdk.net.ExtendedSocketOptions;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.HostDialer;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.BooleanSupplier;

/** The client's side of connecting to a gateway and of the handshake, see {@link HostDialer}. */
public final class LinkDialer {
    private static final int KEEP_IDLE_S = 10;
    private static final int KEEP_INTERVAL_S = 5;
    private static final int KEEP_COUNT = 4;

    private final SocketAddress address;
    private final HostDialer dialer;

    /** Waits no longer than the timeout, and see {@link AttachRequest#isOver}. */
    LinkDialer(
            SocketAddress address,
            LinkSettings settings,
            NanoClock clock,
            long timeoutNs,
            BooleanSupplier isOver) {
        this.address = address;
        this.dialer =
                new HostDialer(
                        "gateway at " + LinkAddress.text(address),
                        settings.sockets(),
                        settings.parking(),
                        clock,
                        clock.nanoTime() + timeoutNs,
                        isOver);
    }

    /** A connected socket, non-blocking. */
    SocketChannel connect() {
        return dialer.connect(address);
    }

    /**
     * Sets what a link's socket must have: no delay, and keep-alive probes, to notice a host that
     * has vanished.
     */
    public static void tune(SocketChannel channel) throws IOException {
        if (channel.getLocalAddress() instanceof UnixDomainSocketAddress) {
            return;
        }
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_IDLE_S);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_INTERVAL_S);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_COUNT);
        }
    }

    /**
     * Tunes the socket, sends the hello and reads the answer, and no byte more.
     *
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if the gateway hangs up before it
     *     answers
     */
    LinkWelcome shakeHands(SocketChannel channel) throws IOException {
        try {
            tune(channel);
        } catch (IOException e) {
            throw dialer.noAnswer(e);
        }
        dialer.send(channel, LinkHandshake.hello(ProcessHandle.current().pid()));
        ByteBuffer answer = ByteBuffer.allocate(LinkHandshake.MAX_BYTES);
        dialer.receive(channel, answer.limit(Integer.BYTES));
        dialer.receive(channel, answer.limit(LinkHandshake.length(answer)));
        return LinkHandshake.readAnswer(answer.flip());
    }
}
