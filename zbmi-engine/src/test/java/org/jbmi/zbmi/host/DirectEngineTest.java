package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.link.ClientLinkProvider;
import org.jbmi.zbmi.protocol.Hello;
import org.jbmi.zbmi.protocol.HostKind;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.PeerRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/** What is left of an engine in a server's process when something throws in the middle of it. */
@Timeout(30)
class DirectEngineTest {
    private static final long SLICE_NS = 1_000_000;

    /** A host that runs out of memory whenever a client comes. */
    private static final class NoMemory implements SessionTable.Transports {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public ClientLinkProvider link(String name) {
            asked.incrementAndGet();
            throw new OutOfMemoryError("played");
        }

        @Override
        public CommandChannelProvider channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    @Test
    void anErrorEndsItInWordsAndNobodyUsesItAgain() throws IOException {
        PlayedHost parts = new PlayedHost();
        NoMemory transports = new NoMemory();
        EngineParts engineParts =
                EngineParts.of(
                        parts.layout,
                        parts.segment,
                        SteppedHost.template(HostKind.EMBEDDED, 1, parts.layout, "played", 1),
                        parts.counters,
                        parts.context,
                        transports);
        DirectEngine engine = new DirectEngine(engineParts, parts.context, SLICE_NS);
        engineParts.table().use(engineParts.engine(), (connection, bit) -> {});
        AtomicInteger woken = new AtomicInteger();
        engine.use(woken::incrementAndGet);
        try (SocketChannel socket = SocketChannel.open()) {
            Connection connection = new Connection(socket, 0);
            connection.hello(new Hello(PeerRole.CLIENT, 1, 0, "shm"));

            assertThat(engine.attach(connection)).isTrue();

            assertThat(engine.failure()).contains("OutOfMemoryError");
            assertThat(woken).as("the keeper ends the server's session").hasPositiveValue();
            assertThat(parts.errors).anyMatch(text -> text.contains("OutOfMemoryError"));
            engine.attach(connection);
            engine.feed(new Message());
            assertThat(engine.lead()).isZero();
            assertThat(engine.prepareSleep(true)).isZero();
            assertThat(engine.keep()).isFalse();
            assertThat(engine.keepOn(true)).isNegative();
            assertThat(transports.asked).as("it was asked once").hasValue(1);
        }
    }
}
