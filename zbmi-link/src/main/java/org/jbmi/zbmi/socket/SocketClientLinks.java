package org.jbmi.zbmi.socket;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.Sockets;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/** Makes {@code socket} links: to a daemon's gateway, for clients that cannot map its segment. */
public final class SocketClientLinks {
    /** The name. */
    public static final String NAME = "socket";

    private final LinkSettings settings;

    /** Makes links with the settings of a product. */
    public SocketClientLinks() {
        this(LinkSettings.production());
    }

    /** Makes links with other settings, for the simulator. */
    public SocketClientLinks(LinkSettings settings) {
        this.settings = settings;
    }

    /**
     * Connects, shakes hands and opens the client's end. One attempt: a caller who wants to wait
     * for a gateway that is not there yet tries again.
     *
     * @param request the clock, and how long to wait
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if no gateway is there, or another code
     *     if the handshake fails
     */
    public ClientLink connect(AttachRequest request, String serverAddress, PeerEvents events) {
        SocketAddress address = LinkAddress.parse(serverAddress);
        LinkDialer dialer =
                new LinkDialer(
                        address, settings, request.clock(), request.timeoutNs(), request.isOver());
        SocketChannel channel = dialer.connect();
        boolean isOpen = false;
        try {
            LinkWelcome welcome = dialer.shakeHands(channel);
            ClientLink link = link(channel, welcome, events, request.clock());
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

    /**
     * Opens the link of a socket after the handshake; if this fails, only the socket may be open,
     * which the caller closes.
     */
    ClientLink link(SocketChannel channel, LinkWelcome welcome, PeerEvents events, NanoClock clock)
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
