package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jbmi.zoid.common.QuietChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** What is left of a session with a daemon when the server half cannot be opened. */
@Timeout(30)
class RemoteAttachmentTest {
    private static final Welcome WELCOME =
            new Welcome(
                    0,
                    7,
                    HostKind.DAEMON,
                    1,
                    1,
                    "/there/segment",
                    1,
                    new SegmentGeometry(2, 16, 16, 3, 128, 4096, 4096),
                    new SessionLimits(4096, 4096, 128, 16, 30));

    private int channelCloses;
    private int unmappings;
    private final MemorySegment segment = Arena.ofAuto().allocate(64, 64);

    private final class Channel implements QuietChannel {
        private final PeerAttachment attachment;

        Channel(PeerAttachment attachment) {
            this.attachment = attachment;
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            throw new AssertionError("nobody calls");
        }

        @Override
        public int note(Message note, long timeoutNs) {
            throw new AssertionError("nobody says anything");
        }

        @Override
        public void close() {
            channelCloses++;
            attachment.close();
        }
    }

    private final class Provider implements CommandChannelProvider {
        @Override
        public String name() {
            return "played";
        }

        @Override
        public PeerChannel open(PeerAttachment attachment, PeerEvents events) {
            return new Channel(attachment);
        }
    }

    private RemoteAttachment attached() throws IOException {
        AttachRequest request =
                new AttachRequest(
                        Path.of("/there/socket"),
                        PeerRole.SERVER,
                        "played",
                        1,
                        new FutexWaiting(),
                        NanoClock.SYSTEM,
                        new ProcessLiveness());
        SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
        socket.close(); // the daemon does not matter here
        return new RemoteAttachment(
                new PeerAttachment(
                        socket,
                        new SegmentMemory(segment),
                        segment,
                        () -> unmappings++,
                        WELCOME,
                        request),
                new Provider());
    }

    private static DoorEvents nobody() {
        return (DoorEvents)
                Proxy.newProxyInstance(
                        DoorEvents.class.getClassLoader(),
                        new Class<?>[] {DoorEvents.class},
                        (proxy, method, arguments) -> null);
    }

    @Test
    void withoutAChannelTheSessionIsClosed() throws IOException {
        attached().close();
        assertThat(unmappings).isEqualTo(1);
    }

    /** It may have queues of its own. */
    @Test
    void aChannelThatWasOpenedIsClosedWithIt() throws IOException {
        RemoteAttachment attachment = attached();
        attachment.open(nobody());
        attachment.close();
        assertThat(channelCloses).isEqualTo(1);
        assertThat(unmappings).isEqualTo(1);
    }
}
