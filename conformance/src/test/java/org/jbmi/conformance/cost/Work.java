package org.jbmi.conformance.cost;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The pieces of work that are counted, each many times in one thread. Loaded by a {@link
 * CountingLoader}, so it is called by its name.
 */
public final class Work {
    private static final long WAIT_MS = 20_000;
    private static final int TAG = 7;
    private static final int BYTES = 64;
    private static final int LONG_BYTES = 4096;
    private static final int QUICK_LOOKS = 32;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private Work() {}

    private interface Piece {
        void run() throws Exception;
    }

    private static List<Cost> counted(int rounds, Predicate<List<Cost>> isEnough, Piece piece)
            throws Exception {
        return counted(rounds, isEnough, () -> {}, piece);
    }

    private static List<Cost> counted(
            int rounds, Predicate<List<Cost>> isEnough, Piece before, Piece piece)
            throws Exception {
        List<Cost> costs = new ArrayList<>();
        do {
            for (int i = 0; i < rounds; i++) {
                before.run();
                Counts.reset();
                piece.run();
                costs.add(Counts.read());
            }
        } while (!isEnough.test(costs));
        return costs;
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new IllegalStateException(what);
        }
    }

    /**
     * Loopback: a receive is posted, its send is posted, the receive is tested, and a test of the
     * context finds nothing.
     *
     * @param rounds how often at least
     * @param isEnough asked after as many rounds each, with the costs of all
     * @return what each round cost
     * @throws Exception of the work
     */
    public static List<Cost> loopbackFourCalls(int rounds, Predicate<List<Cost>> isEnough)
            throws Exception {
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().listen("loopback://self").open()) {
            CompletionContext context = bmi.openContext();
            PeerAddress self = bmi.lookup("loopback://self");
            MemorySegment from = arena.allocate(BYTES);
            MemorySegment to = arena.allocate(BYTES);
            Completions done = Completions.ofCapacity(4);
            return counted(
                    rounds,
                    isEnough,
                    () -> {
                        long receive = context.postReceive(self, to, TAG);
                        long sent = context.postSend(self, from, TAG);
                        check(PostResult.isPending(receive) && sent == BYTES, "not posted");
                        check(context.test(receive, done, 0) == 1, "not received");
                        check(context.testContext(done, 0) == 0, "too much");
                    });
        }
    }

    /**
     * Loopback: an unexpected message is sent, received and freed.
     *
     * @param rounds how often at least
     * @param isEnough asked after as many rounds each, with the costs of all
     * @return what each round cost
     * @throws Exception of the work
     */
    public static List<Cost> loopbackUnexpected(int rounds, Predicate<List<Cost>> isEnough)
            throws Exception {
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().listen("loopback://self").open()) {
            CompletionContext context = bmi.openContext();
            PeerAddress self = bmi.lookup("loopback://self");
            MemorySegment from = arena.allocate(BYTES);
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
            return counted(
                    rounds,
                    isEnough,
                    () -> {
                        check(context.postSendUnexpected(self, from, TAG) == BYTES, "not sent");
                        check(bmi.testUnexpected(messages, 0) == 1, "not received");
                        messages.free(0);
                    });
        }
    }

    /** A server of zoid that hosts its engine itself, and a client, both in this process. */
    private static final class Pair implements AutoCloseable {
        final Path directory = Files.createTempDirectory("zc");
        final Arena arena = Arena.ofShared();
        final Bmi server;
        final Bmi client;
        final CompletionContext serverContext;
        final CompletionContext clientContext;
        final PeerAddress toServer;
        final MemorySegment request = arena.allocate(BYTES);
        final MemorySegment longRequest = arena.allocate(LONG_BYTES);
        final MemorySegment reply = arena.allocate(BYTES);
        final MemorySegment longReply = arena.allocate(LONG_BYTES);
        final Completions done = Completions.ofCapacity(4);
        final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        final MemorySegment answer;
        final MemorySegment longAnswer;

        Pair() throws IOException {
            server = opened(Bmi.builder().listen("zoid://"));
            client = opened(Bmi.builder());
            serverContext = server.openContext();
            clientContext = client.openContext();
            toServer = client.lookup("zoid://");
            long hello = clientContext.postSendUnexpected(toServer, request, TAG);
            check(server.testUnexpected(messages, WAIT_MS) == 1, "no hello");
            answer = allocated(BYTES);
            longAnswer = allocated(LONG_BYTES);
            messages.free(0);
            clientContext.await(hello, WAIT_MS);
        }

        private MemorySegment allocated(int bytes) {
            @Nullable MemorySegment block = messages.peer(0).allocate(bytes);
            check(block != null, "no memory");
            return block;
        }

        private Bmi opened(BmiBuilder builder) {
            return builder.knob("zoid.host", "embedded")
                    .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                    .knob("zbmi.segmentDirectory", directory.toString())
                    .knob("zbmi.unexpectedBytes", "1048576")
                    .knob("zbmi.totalBytes", "9437184")
                    .knob("bmi.wait", "spin")
                    .open();
        }

        /** Looks in quick succession: from then on clients need not ring. */
        void attend() {
            for (int i = 0; i < QUICK_LOOKS; i++) {
                check(server.testUnexpected(messages, 0) == 0, "too much");
            }
        }

        void call() {
            call(request, answer, reply);
        }

        void longCall() {
            call(longRequest, longAnswer, longReply);
        }

        private void call(MemorySegment out, MemorySegment back, MemorySegment in) {
            long received = clientContext.postReceive(toServer, in, TAG);
            long sent = clientContext.postSendUnexpected(toServer, out, TAG);
            takeRequest();
            PeerAddress caller = messages.peer(0);
            messages.free(0);
            long replied = serverContext.postSend(caller, back, TAG);
            finish(clientContext, received);
            finish(clientContext, sent);
            finish(serverContext, replied);
        }

        void message() {
            message(request);
        }

        void longMessage() {
            message(longRequest);
        }

        private void message(MemorySegment bytes) {
            long sent = clientContext.postSendUnexpected(toServer, bytes, TAG);
            takeRequest();
            messages.free(0);
            finish(clientContext, sent);
        }

        private void takeRequest() {
            int found = 0;
            while (found == 0) {
                found = server.testUnexpected(messages, 0);
            }
        }

        private void finish(CompletionContext context, long result) {
            if (PostResult.isPending(result)) {
                check(context.test(result, done, WAIT_MS) == 1, "not over");
                check(done.outcome(0).isSuccess(), "failed");
            } else {
                check(PostResult.isCompleted(result), "refused");
            }
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
            arena.close();
            try (var files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /**
     * zoid with the engine in the server: a request of 64 bytes with its reply, both sides.
     *
     * @param rounds how often at least
     * @param isEnough asked after as many rounds each, with the costs of all
     * @return what each round cost
     * @throws Exception of the work
     */
    public static List<Cost> zoidCall(int rounds, Predicate<List<Cost>> isEnough) throws Exception {
        try (Pair pair = new Pair()) {
            return counted(rounds, isEnough, pair::attend, pair::call);
        }
    }

    /**
     * The same, of 4096 bytes each.
     *
     * @param rounds how often at least
     * @param isEnough asked after as many rounds each, with the costs of all
     * @return what each round cost
     * @throws Exception of the work
     */
    public static List<Cost> zoidLongCall(int rounds, Predicate<List<Cost>> isEnough)
            throws Exception {
        try (Pair pair = new Pair()) {
            return counted(rounds, isEnough, pair::attend, pair::longCall);
        }
    }

    /**
     * zoid with the engine in the server: an unexpected message of 64 bytes, both sides.
     *
     * @param rounds how often at least
     * @param isEnough asked after as many rounds each, with the costs of all
     * @return what each round cost
     * @throws Exception of the work
     */
    public static List<Cost> zoidUnexpected(int rounds, Predicate<List<Cost>> isEnough)
            throws Exception {
        try (Pair pair = new Pair()) {
            return counted(rounds, isEnough, pair::attend, pair::message);
        }
    }

    /**
     * The same, of a message of 4096 bytes.
     *
     * @param rounds how often at least
     * @param isEnough asked after as many rounds each, with the costs of all
     * @return what each round cost
     * @throws Exception of the work
     */
    public static List<Cost> zoidLongUnexpected(int rounds, Predicate<List<Cost>> isEnough)
            throws Exception {
        try (Pair pair = new Pair()) {
            return counted(rounds, isEnough, pair::attend, pair::longMessage);
        }
    }

    /** Something of each kind that is counted, and of each that looks like it and is not. */
    private static final class Kinds {
        private final long[] words = new long[1];
        private final ReentrantLock lock = new ReentrantLock();
        private final AtomicInteger number = new AtomicInteger();
        private final CountDownLatch latch = new CountDownLatch(1);
        private volatile int stored;
        private int plain;

        void run() {
            synchronized (words) { // 2
                plain++;
            }
            lock.lock(); // 1
            lock.unlock(); // 1
            stored = plain; // 1
            plain = stored;
            number.incrementAndGet(); // 1
            number.lazySet(number.get());
            number.set(3); // 1
            WORD.setRelease(words, 0, (long) WORD.getAcquire(words, 0));
            WORD.setVolatile(words, 0, 1L); // 1
            WORD.compareAndSet(words, 0, 1L, 2L); // 1
            WORD.getAndAdd(words, 0, 1L); // 1
            VarHandle.fullFence(); // 1
            VarHandle.releaseFence();
            if (System.nanoTime() == System.currentTimeMillis()) {
                stored = 7;
            }
            LockSupport.unpark(null);
            latch.countDown();
            number.getAndSet(0); // 1
        }
    }

    /**
     * One of everything, to see the counting itself.
     *
     * @param rounds how often at least
     * @param isEnough asked after as many rounds each, with the costs of all
     * @return what each round cost
     * @throws Exception of the work
     */
    public static List<Cost> everyKind(int rounds, Predicate<List<Cost>> isEnough)
            throws Exception {
        return counted(rounds, isEnough, new Kinds()::run);
    }
}
