package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.daemon.ClientRequest;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.OwnFile;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A gateway without memory for one client; the errors are played. */
@Timeout(60)
class GatewayFullHeapTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir private Path directory;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<RemoteClient> waiting = new ArrayList<>();
    private final Counters counters = Counters.inMemory();
    private Selector selector;
    private GatewayLoop loop;
    private final Queue<ClientAttacher.Result> results = new ArrayDeque<>();
    private String peer = "self";
    private String beforeFailure = "";
    private String failing = "";
    private boolean isClockFailing;
    private boolean isAttacherFailing;
    private boolean isPollFailing;
    private long pastNs;

    @BeforeEach
    void listen() throws IOException {
        UnixDomainSocketAddress address = address();
        selector = Selector.open();
        open.push(selector);
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        open.push(listener);
        listener.bind(address).configureBlocking(false);
        GatewaySettings settings =
                new GatewaySettings(
                        address.getPath().toString(),
                        Set.of(),
                        "",
                        -1,
                        AddressRanges.parse(""),
                        4,
                        LONG_NS,
                        LONG_NS);
        loop =
                new GatewayLoop(
                        settings,
                        new GatewayAccess(settings, channel -> peer, "self"),
                        selector,
                        List.of(new GatewayListener(listener, OwnFile.of(address.getPath()))),
                        new Attacher(),
                        this::nanoTime,
                        new ErrorLog(this::record),
                        new GatewayCounters(counters));
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private final class Attacher implements ClientAttacher {
        @Override
        public boolean start(RemoteClient client) {
            if (isAttacherFailing) {
                isAttacherFailing = false;
                throw new OutOfMemoryError("played");
            }
            waiting.add(client);
            return true;
        }

        @Override
        public @Nullable Result poll() {
            if (isPollFailing) {
                isPollFailing = false;
                throw new OutOfMemoryError("played");
            }
            return results.poll();
        }
    }

    private UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(directory.resolve("gateway.sock"));
    }

    // The gateway asks for the time where it makes a refusal.
    private long nanoTime() {
        if (isClockFailing) {
            isClockFailing = false;
            throw new OutOfMemoryError("played");
        }
        return System.nanoTime() + pastNs;
    }

    private void record(String text) {
        isClockFailing = !beforeFailure.isEmpty() && text.contains(beforeFailure);
        if (!failing.isEmpty() && text.contains(failing)) {
            throw new OutOfMemoryError("played");
        }
    }

    private SocketChannel connect(ByteBuffer first) throws IOException {
        SocketChannel client = SocketChannel.open(address());
        open.push(client);
        client.write(first);
        client.configureBlocking(false);
        return client;
    }

    private void turn() {
        assertThat(Thread.interrupted()).as("the watchdog").isFalse();
        selector.wakeup();
        assertThatCode(loop::turn).doesNotThrowAnyException();
    }

    private RemoteClient introduced() {
        while (waiting.isEmpty()) {
            turn();
        }
        return waiting.removeFirst();
    }

    private int readToTheEnd(SocketChannel client) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(LinkHandshake.MAX_BYTES);
        while (client.read(answer) >= 0) {
            turn();
        }
        return answer.position();
    }

    private void assertThatAnotherIsServed() throws IOException {
        peer = "self";
        connect(LinkHandshake.hello(1));
        assertThat(introduced().isAttaching()).isTrue();
    }

    private SocketChannel refused(String way) throws IOException {
        peer = way.equals("stranger") ? "stranger" : "self";
        ByteBuffer first =
                switch (way) {
                    case "stranger", "no session" -> LinkHandshake.hello(1);
                    case "nonsense" -> ByteBuffer.allocate(100);
                    default -> ByteBuffer.allocate(0);
                };
        SocketChannel client = connect(first);
        turn();
        if (way.equals("no session")) {
            BmiException refusal = new BmiException(ErrorCode.ENOBUFS, "There is no room.");
            results.add(new ClientAttacher.Result(introduced(), null, refusal));
        } else if (way.equals("silent")) {
            pastNs += 2 * LONG_NS;
        }
        return client;
    }

    @ParameterizedTest
    @CsvSource({
        "stranger, may not use this gateway",
        "nonsense, Refused a remote client",
        "no session, it got no session",
        "silent, did not introduce itself in time"
    })
    void whoIsRefusedIsToldSoAlsoWithoutMemoryForTheLog(String way, String record)
            throws IOException {
        failing = record;
        assertThat(readToTheEnd(refused(way))).as("bytes of a refusal").isPositive();
        assertThat(waiting).isEmpty();
        assertThatAnotherIsServed();
    }

    @ParameterizedTest
    @CsvSource({
        "stranger, may not use this gateway",
        "nonsense, Refused a remote client",
        "no session, it got no session",
        "silent, did not introduce itself in time"
    })
    void whoIsRefusedIsCutOffWithoutMemoryForTheRefusal(String way, String record)
            throws IOException {
        beforeFailure = record;
        assertThat(readToTheEnd(refused(way))).as("bytes of a refusal").isZero();
        turn();
        assertThat(waiting).as("clients that get a session").isEmpty();
        pastNs += LONG_NS; // after a pause, if the gateway makes one
        assertThatAnotherIsServed();
    }

    @Test
    void theOthersGoOnWithoutMemoryToSayThatThereIsNone() throws IOException {
        failing = "there was no memory for it";
        isAttacherFailing = true;
        assertThat(readToTheEnd(connect(LinkHandshake.hello(1)))).isZero();
        assertThatAnotherIsServed();
    }

    @Test
    void whoGetsNoAnswerIsCutOff() throws IOException {
        SocketChannel client = connect(LinkHandshake.hello(1));
        introduced().getsNoAnswer();
        assertThat(readToTheEnd(client)).isZero();
        assertThatAnotherIsServed();
    }

    @Test
    void allGoOnAfterATurnWithoutMemory() throws IOException {
        connect(LinkHandshake.hello(1));
        RemoteClient client = introduced();
        BmiException refusal = new BmiException(ErrorCode.ENOBUFS, "There is no room.");
        results.add(new ClientAttacher.Result(client, null, refusal));
        failing = "a turn";
        isPollFailing = true;
        turn();
        assertThat(client.isAttaching()).isTrue();
        assertThatCode(loop::turn).as("a turn that nobody wakes").doesNotThrowAnyException();
        assertThat(client.state()).isEqualTo(RemoteClient.State.PARTING);
        assertThatAnotherIsServed();
    }

    @Test
    void whoBreaksTheProtocolIsCutOffWithoutMemoryForTheLog() throws IOException {
        ZbmiDaemon daemon =
                ZbmiDaemon.builder()
                        .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                        .knob("zbmi.segmentDirectory", directory.toString())
                        .knob("zbmi.totalBytes", "4m")
                        .start();
        open.push(daemon);
        AttachRequest request = ClientRequest.of(daemon, LONG_NS);
        SocketChannel client = connect(LinkHandshake.hello(1));
        PeerAttachment session = PeerAttachment.connect(request);
        results.add(new ClientAttacher.Result(introduced(), session, null));
        turn();
        failing = "A remote client was cut off: ";
        client.write(ByteBuffer.allocate(100));
        assertThat(readToTheEnd(client)).as("bytes of a welcome").isPositive();
        assertThat(counters.find("zbmi.gateway.evicted").get()).isEqualTo(1);
        assertThatAnotherIsServed();
    }
}
