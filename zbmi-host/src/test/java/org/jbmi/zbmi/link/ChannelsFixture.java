package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.channel.CommandChannels;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Both kinds of channel against the engine, in one process but through everything that is real. */
abstract class ChannelsFixture {
    static final long LONG_NS = SECONDS.toNanos(20);

    /** Keeps what comes by itself. */
    static final class Events implements PeerEvents {
        final BlockingQueue<Message> queue = new LinkedBlockingQueue<>();
        final AtomicReference<String> broken = new AtomicReference<>();
        final AtomicInteger leadWanted = new AtomicInteger();

        /** What happens while an event is dispatched. */
        volatile Runnable meanwhile = () -> {};

        @Override
        public void onEvent(Message message) {
            meanwhile.run();
            Message copy = new Message();
            copy.copyFrom(message);
            queue.add(copy);
        }

        @Override
        public void onLeadWanted() {
            leadWanted.incrementAndGet();
        }

        @Override
        public void onBroken(String reason) {
            broken.set(reason);
        }

        /** The next event of a kind, others are left out; the caller makes the progress. */
        Message await(PeerChannel channel, int kind) {
            long deadline = System.nanoTime() + LONG_NS;
            while (System.nanoTime() < deadline) {
                Message next = queue.poll();
                if (next != null && next.kind() == kind) {
                    return next;
                }
                if (next == null && channel.progress() == 0 && channel.prepareSleep(false)) {
                    channel.sleep(LONG_NS);
                    channel.finishSleep();
                }
            }
            throw new AssertionError("no event of kind " + kind);
        }
    }

    final Arena arena = Arena.ofShared();
    final Events serverEvents = new Events();
    final Events clientEvents = new Events();
    MiniDaemon daemon;
    PeerChannel server;
    ClientLink client;

    @BeforeEach
    void attach() throws Exception {
        daemon = newDaemon();
        server = openServer();
        client = openClient(clientEvents);
    }

    MiniDaemon newDaemon() throws IOException {
        return new MiniDaemon(16, channelName());
    }

    /** Which command channel the server uses. */
    String channelName() {
        return "ring";
    }

    private PeerChannel openServer() {
        return CommandChannels.require(channelName())
                .open(PeerAttachment.connect(daemon.request(PeerRole.SERVER)), serverEvents);
    }

    ClientLink openClient(PeerEvents events) {
        return ShmClientLink.connect(daemon.request(PeerRole.CLIENT), events);
    }

    @AfterEach
    void detach() throws Exception {
        client.close();
        server.close();
        daemon.close();
        arena.close();
    }

    Message post(int kind, long reference, int tag, long bytes, long offset) {
        Message m = new Message();
        int generation = client.generation();
        ServerRequests.post(m, kind, 0, reference, 1, generation, tag, ServerRequests.NEVER, bytes);
        ServerRequests.place(m, offset, 0, 0);
        assertThat(server.call(m, m, LONG_NS)).isEqualTo(PeerChannel.OK);
        return m;
    }

    long expected(long at) {
        return daemon.map.expectedOffset() + at;
    }
}
