package org.jbmi.testsuite.cases.call;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.FutureTask;

/** Which outcome an operation has that does not simply succeed (groups B, K, N, R). */
public final class OutcomeCases {
    private static final int LARGE = 8 << 20;
    private static final int RAW_TIMEOUT_MS = 20_000;
    private static final int RAW_BUFFER_BYTES = 64 << 10;
    private static final int IDLE_MS = 700;
    private static final int READ_BYTES = 128 << 10;
    private static final int READ_EVERY_MS = 35;
    private static final int TRIES = 8;
    private static final long NS_PER_MS = 1_000_000;

    private OutcomeCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        Capability connections = Capability.CONNECTIONS;
        list.group('B').add(333, "elements of methods that are not there", OutcomeCases::elements);
        list.group('K')
                .add(
                        327,
                        "idle deadline of a send that moves",
                        60,
                        OutcomeCases::slidingDeadline,
                        connections)
                .add(329, "deadline of a send under way", OutcomeCases::lateDeadline, connections);
        list.group('N')
                .add(330, "cancel of a send under way", OutcomeCases::lateCancel, connections)
                .add(331, "a cancelled receive takes no message", 60, OutcomeCases::smallCancelled);
        list.group('R').add(328, "connection reset", OutcomeCases::reset, connections);
    }

    private static void elements(Scene scene) {
        Bmi server = scene.server();
        Bmi client = scene.newClient();
        String address = scene.environment().serverAddress(0);
        for (String list :
                new String[] {
                    "ib://host:1," + address,
                    address + ",ib://host:1",
                    "ib://host:1,gm://host:2," + address + ",mx://host:3"
                }) {
            Link link = scene.link(server, list, client);
            Exchange.bothOrders(scene, link.client(), link.server(), 100);
        }
        Expect.refusal(
                ErrorCode.ENOPROTOOPT,
                () -> client.lookup("ib://host:1,gm://host:2"),
                "an address of methods that are not there");
    }

    /** Somebody who is no program of the library: a plain socket that a client connects to. */
    private record Raw(ServerSocket listener, End client) implements AutoCloseable {
        private static Raw of(Scene scene) throws IOException {
            ServerSocket listener = new ServerSocket();
            listener.setReceiveBufferSize(RAW_BUFFER_BYTES);
            listener.setSoTimeout(RAW_TIMEOUT_MS);
            listener.bind(new java.net.InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            String address = scene.fixture().scheme() + "://127.0.0.1:" + listener.getLocalPort();
            Bmi client = scene.newClient();
            return new Raw(listener, new End(client, address));
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    /** What a slow reader got, and the longest time in which it read nothing. */
    private record SlowlyRead(long bytes, long longestPauseMs) {}

    // A reader whom a busy machine holds up does stand still, and then the send may end.
    private static void slidingDeadline(Scene scene) throws Exception {
        boolean wasHeldUp = true;
        for (int i = 0; i < TRIES && wasHeldUp; i++) {
            wasHeldUp = readerWasHeldUp(scene);
        }
        Expect.that(!wasHeldUp, "a reader is not held up each time");
    }

    private static boolean readerWasHeldUp(Scene scene) throws Exception {
        try (Raw raw = Raw.of(scene)) {
            MemorySegment message = scene.pattern(LARGE, 1);
            PostOptions idle = PostOptions.NONE.withIdleDeadlineMs(IDLE_MS);
            long startNs = System.nanoTime();
            FutureTask<SlowlyRead> reader =
                    scene.inThread("reader", () -> readSlowly(raw.listener(), startNs));
            Posted send = raw.client().send(message, 1, null, idle);
            send.succeeds(LARGE);
            long tookMs = (System.nanoTime() - startNs) / NS_PER_MS;
            Expect.that(tookMs > IDLE_MS, "it took longer than the idle time: " + tookMs + " ms");
            raw.client().bmi().close();
            SlowlyRead read = reader.get();
            boolean wasHeldUp = read.longestPauseMs() > IDLE_MS / 2;
            Expect.that(wasHeldUp || read.bytes() > LARGE, "the whole message came");
            return wasHeldUp;
        }
    }

    /** Never stands still for long, if the machine lets it, and is slow. */
    private static SlowlyRead readSlowly(ServerSocket listener, long startNs) throws Exception {
        try (Socket socket = listener.accept()) {
            InputStream in = socket.getInputStream();
            long all = 0;
            long longestNs = 0;
            long beforeNs = startNs; // its thread may begin late
            for (int got; (got = in.readNBytes(READ_BYTES).length) > 0; all += got) {
                Thread.sleep(READ_EVERY_MS);
                long nowNs = System.nanoTime();
                longestNs = Math.max(longestNs, nowNs - beforeNs);
                beforeNs = nowNs;
            }
            return new SlowlyRead(all, longestNs / NS_PER_MS);
        }
    }

    /** The peer reads nothing before the deadline, and everything after it. */
    private static void lateDeadline(Scene scene) {
        sendUnderWay(scene, PostOptions.NONE.withDeadlineMs(300), false);
    }

    /** The same with a cancel. */
    private static void lateCancel(Scene scene) {
        sendUnderWay(scene, PostOptions.NONE, true);
    }

    private static void sendUnderWay(Scene scene, PostOptions options, boolean isCancelled) {
        Link link = scene.link();
        End client = link.client();
        Exchange.bothOrders(scene, client, link.server(), 1000);
        MemorySegment large = scene.pattern(LARGE, 1);
        // The server makes no progress: a part of the message is in the system's buffers.
        Posted send = client.send(large, 1, null, options);
        Expect.that(send.wasPending(), "the system's buffers do not hold all of it");
        if (isCancelled) {
            client.context().cancel(send.result());
        }
        MemorySegment whole = scene.pattern(LARGE, 1);
        if (send.isDone(600)) {
            // Who takes such a send over may report it before the peer has read it.
            send.succeeds(LARGE);
            large.fill((byte) 0); // and the buffer is the program's again
        }
        MemorySegment in = scene.buffer(LARGE);
        Posted receive = link.server().receive(in, 1);
        Posted beside = client.receive(scene.buffer(10), 2);
        receive.finishBeside(beside); // what is left moves in calls of the client only
        Exchange.check(send, receive, whole, in);
        beside.cancelled();
        Exchange.bothOrders(scene, client, link.server(), 1000);
    }

    private static void reset(Scene scene) throws Exception {
        try (Raw raw = Raw.of(scene)) {
            End client = raw.client();
            Posted receive = client.receive(scene.buffer(100), 1);
            Posted send = client.send(scene.pattern(LARGE, 1), 2);
            FutureTask<Integer> resetting =
                    scene.inThread(
                            "reset",
                            () -> {
                                try (Socket socket = raw.listener().accept()) {
                                    socket.setSoLinger(true, 0);
                                    return socket.getInputStream().readNBytes(1000).length;
                                }
                            });
            Posted.finish(receive, send);
            Expect.equal(resetting.get(), 1000, "what the other side read before");
            receive.fails(ErrorCode.ECONNRESET);
            send.fails(ErrorCode.ECONNRESET);
        }
    }

    private static void smallCancelled(Scene scene, Link link) throws Exception {
        int rounds = scene.amount(Amount.SMALL_CANCELS) / 2;
        link.bothWays(
                (from, to) -> {
                    MemorySegment small = scene.buffer(10);
                    MemorySegment out = scene.buffer(100);
                    MemorySegment in = scene.buffer(100);
                    for (int i = 0; i < rounds; i++) {
                        to.receive(small, 1).cancelled();
                        Scene.fill(out, i);
                        Posted send = from.send(out, 1);
                        Posted receive = to.receive(in, 1);
                        Exchange.check(send, receive, out, in);
                    }
                });
    }
}
