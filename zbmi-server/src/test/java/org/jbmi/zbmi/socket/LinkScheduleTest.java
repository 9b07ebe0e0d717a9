package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.OperationKind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * Client link, gateway and engine under a random schedule: posts, cancels, waits and their ends on
 * both sides, with every message and every byte under way for a random time. Each operation is
 * reported once, nothing is touched after that, success means equal bytes, and messages of a tag
 * keep their order. A failure replays from its seed.
 */
@Timeout(120)
class LinkScheduleTest {
    private static final int TAGS = 3;
    private static final int STEPS = 3000;

    @TempDir private Path directory;

    private LinkWorld world;
    private RemoteClientSim client;
    private DirectServerSim server;
    private Random random;
    private int lastNumber;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Boolean.getBoolean("jbmi.long") ? 6 : 2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyInterleavingKeepsThePromises(long seed) throws Exception {
        random = new Random(seed);
        client = new RemoteClientSim(random);
        Path place = Files.createDirectory(directory.resolve("w"));
        try (LinkWorld open = new LinkWorld(place, random, client)) {
            world = open;
            client.use(open.link);
            server = new DirectServerSim(open, random);
            for (int i = 0; i < STEPS; i++) {
                step();
            }
            quiesce();
            check();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    private void step() throws Exception {
        switch (random.nextInt(20)) {
            case 0 -> client.post(OperationKind.SEND, ++lastNumber, random.nextInt(TAGS));
            case 1 -> client.post(OperationKind.RECEIVE, ++lastNumber, random.nextInt(TAGS));
            case 2 -> client.post(OperationKind.SEND_UNEXPECTED, ++lastNumber, 9);
            case 3, 4 -> server.post(true, ++lastNumber, random.nextInt(TAGS));
            case 5, 6 -> server.post(false, ++lastNumber, random.nextInt(TAGS));
            case 7 -> {
                if (random.nextInt(3) == 0) {
                    client.cancelOne();
                }
            }
            case 8 -> {
                if (random.nextInt(3) == 0) {
                    server.cancelOne();
                }
            }
            case 9 -> {
                if (random.nextInt(4) == 0) {
                    client.waitOrLeave();
                }
            }
            case 10, 11, 12 -> world.pumpEngine(1 + random.nextInt(5));
            case 13, 14, 15 -> world.pumpRelay();
            case 16, 17, 18 -> world.pumpLink();
            default -> client.runDeferred();
        }
        server.takeEvents();
    }

    // Everything under way comes to its end; what nobody wants is cancelled on both sides.
    private void quiesce() throws Exception {
        for (int i = 0; i < 20; i++) {
            settle();
            client.beIn();
        }
        server.cancelAll();
        settle();
        for (int i = 0; i < 20 * LinkWorld.MAX_OPERATIONS; i++) {
            client.cancelOne();
        }
        settle();
    }

    private void settle() throws Exception {
        do {
            world.settle(client::runDeferred);
            server.takeEvents();
        } while (client.hasDeferred());
    }

    private void check() {
        client.checkUntouched();
        Map<Integer, RemoteOperation> sent = new HashMap<>();
        for (RemoteOperation operation : client.all) {
            assertThat(operation.reports).as("reports of %d", operation.number).isEqualTo(1);
            sent.put(operation.number, operation);
        }
        for (DirectServerSim.Post post : server.all) {
            assertThat(post.reports).as("reports of server's %d", post.number).isEqualTo(1);
        }
        assertThat(server.openPosts()).isZero();
        for (int tag = 0; tag < TAGS; tag++) {
            assertThat(server.received(tag)).isNotEmpty();
            checkRising(server.received(tag));
            checkSuccess(server.received(tag), sent);
        }
        checkRising(server.unexpected);
        checkSuccess(server.unexpected, sent);
        assertThat(server.unexpected).isNotEmpty();
        checkReceives();
        assertThat(client.voids).as("claims that came too late").isPositive();
    }

    private static void checkRising(List<Integer> numbers) {
        assertThat(numbers).isSorted().doesNotHaveDuplicates();
    }

    private static void checkSuccess(List<Integer> numbers, Map<Integer, RemoteOperation> sent) {
        for (int number : numbers) {
            assertThat(sent.get(number).outcome).as("outcome of %d", number).isZero();
        }
    }

    // Receives of a tag are served in their order, with the server's messages in theirs.
    private void checkReceives() {
        Map<Integer, Integer> last = new HashMap<>();
        int count = 0;
        for (RemoteOperation operation : client.all) {
            if (operation.kind() == OperationKind.RECEIVE && operation.outcome == 0) {
                byte[] message = new byte[(int) operation.outcomeBytes];
                System.arraycopy(operation.received, 0, message, 0, message.length);
                int number = DirectServerSim.numberIn(message);
                if (number >= 0) {
                    Integer before = last.put(operation.tag(), number);
                    assertThat(before == null || before < number).isTrue();
                    count++;
                }
            }
        }
        assertThat(count).isPositive();
    }
}
