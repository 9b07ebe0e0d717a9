package org.jbmi.zbmi.socket;

import jdk.net.ExtendedSocketOptions;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.HostDialer;
import org.jbmi.zbmi.attach.Sockets;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Makes {@code socket} links: to a daemon's gateway, for clients that cannot map its segment. */
public final class SocketClientLinks {
    /** The name. */
    public static final String NAME = "socket";

    private static final int KEEP_IDLE_S = 10;
    private static final int KEEP_INTERVAL_S = 5;
    private static final int KEEP_COUNT = 4;

    private SocketClientLinks() {}

    /**
     * Connects, shakes hands and opens the client's end. One attempt: a caller who wants to wait
     * for a gateway that is not there yet tries again.
     *
     * @param request the clock, and how long to wait
     * @param settings those of a product, or others for the simulator
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if no gateway is there, or another code
     *     if the handshake fails
     */
    public static ClientLink connect(
            AttachRequest request, String serverAddress, PeerEvents events, LinkSettings settings) {
        SocketAddress address = LinkAddress.parse(serverAddress);
        HostDialer dialer = dialer(address, settings, request);
        SocketChannel channel = dialer.connect(address);
        boolean isOpen = false;
        try {
            LinkWelcome welcome = shakeHands(dialer, channel);
            ClientLink link = link(channel, welcome, events, request.clock(), settings);
            isOpen = true;
            return link;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EPROTO,
                    "The gateway at %s: %s.".formatted(LinkAddress.text(address), e.getMessage()),
                    e);
        } finally {
            if (!isOpen) {
                Sockets.closeQuietly(channel);
            }
        }
    }

    static HostDialer dialer(SocketAddress address, LinkSettings settings, AttachRequest request) {
        return new HostDialer(
                "gateway at " + LinkAddress.text(address),
                settings.sockets(),
                settings.parking(),
                request.clock(),
                request.clock().nanoTime() + request.timeoutNs(),
                request.isOver());
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
    static LinkWelcome shakeHands(HostDialer dialer, SocketChannel channel) throws IOException {
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

    /**
     * Opens the link of a socket after the handshake; if this fails, only the socket may be open,
     * which the caller closes.
     */
    static ClientLink link(
            SocketChannel channel,
            LinkWelcome welcome,
            PeerEvents events,
            NanoClock clock,
            LinkSettings settings)
            throws IOException {
        SocketTransport transport = new SocketTransport(channel, settings);
        boolean isOpen = false;
        try {
            ClientLink link = new SocketClientLink(transport, welcome, events, clock, settings);
            isOpen = true;
            return link;
        } finally {
            if (!isOpen) {
                transport.close();
            }
        }
    }
}
