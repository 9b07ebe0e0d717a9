package org.jbmi.zbmi.socket;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.link.AttachRequest;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.ClientLinkProvider;
import org.jbmi.zbmi.link.PeerEvents;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** Makes {@code socket} links: to a daemon's gateway, for those who cannot map its segment. */
public final class SocketClientLinkProvider implements ClientLinkProvider {
    /** The name. */
    public static final String NAME = "socket";

    /** As long as a gateway takes by default, and a little more: the gateway should be first. */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(90);

    /** For {@link java.util.ServiceLoader}. */
    public SocketClientLinkProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ClientLink connect(AttachRequest request, String serverAddress, PeerEvents events) {
        SocketAddress address = LinkAddress.parse(serverAddress);
        LinkDialer dialer = new LinkDialer(address, request.clock(), request.timeoutNs());
        SocketChannel channel = dialer.connect();
        boolean isOpen = false;
        try {
            LinkWelcome welcome = dialer.shakeHands(channel);
            ClientLink link =
                    new SocketClientLink(
                            new SocketTransport(channel),
                            welcome,
                            events,
                            request.clock(),
                            STALL_NS);
            isOpen = true;
            return link;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EPROTO,
                    "The gateway at %s: %s.".formatted(LinkAddress.text(address), e.getMessage()),
                    e);
        } finally {
            if (!isOpen) {
                LinkDialer.closeQuietly(channel);
            }
        }
    }
}
