package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.observe.Counter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Buffers that a program forgets are counted, and found if it asks for that. */
@Timeout(60)
class LeaksTest {
    private final ZoidWorld world = new ZoidWorld("embedded");

    /** Keeps what is logged by two classes, or fails, until it is closed. */
    private static final class Kept extends Handler {
        private final List<String> lines = new CopyOnWriteArrayList<>();
        private volatile boolean fails;
        private final List<Logger> loggers =
                List.of(
                        Logger.getLogger("org.jbmi.zoid.client.ZoidClient"),
                        Logger.getLogger("org.jbmi.zoid.server.ZoidServer"));

        Kept() {
            loggers.forEach(logger -> logger.addHandler(this));
        }

        @Override
        public void publish(LogRecord entry) {
            if (fails) {
                throw new OutOfMemoryError("planted");
            }
            lines.add(new SimpleFormatter().formatMessage(entry));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            loggers.forEach(logger -> logger.removeHandler(this));
        }
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static void forgetOne(PeerAddress peer, long bytes) {
        assertThat(peer.allocate(bytes)).isNotNull();
    }

    private List<String> forget(boolean isTracked) {
        String knob = Boolean.toString(isTracked);
        Kept log = new Kept();
        Counter ofClient;
        Counter ofServer;
        try (Bmi server = world.serverBuilder().knob("bmi.trackAllocations", knob).open();
                Bmi client = world.builder().knob("bmi.trackAllocations", knob).open()) {
            Pair pair = Pair.of(server, server.openContext(), client);
            forgetOne(pair.toClient(), 1111);
            forgetOne(pair.toServer(), 2222);
            forgetOne(pair.toServer(), 3333);
            ofClient = client.counters().find("zoid.client.leakedBlocks");
            ofServer = server.counters().find("zoid.server.leakedBlocks");
        } finally {
            log.close();
        }
        assertThat(ofClient.get()).isEqualTo(2);
        assertThat(ofServer.get()).isEqualTo(1);
        return log.lines;
    }

    @Test
    void leaksAreCounted() {
        assertThat(forget(false)).isEmpty();
    }

    @Test
    void theirPlacesAreLoggedIfTheyAreTracked() {
        List<String> lines = forget(true);
        assertThat(lines).hasSize(3).allSatisfy(line -> assertThat(line).contains("forgetOne"));
        assertThat(String.join("", lines)).contains("1111", "2222", "3333");
    }

    /** A program's log handler runs in the close, and the report needs memory of the heap. */
    @Test
    void aReportThatFailsEndsTheSessionAllTheSame() {
        Kept log = new Kept();
        try (Bmi server = world.serverBuilder().open()) {
            Bmi client = world.builder().knob("bmi.trackAllocations", "true").open();
            Pair pair = Pair.of(server, server.openContext(), client);
            forgetOne(pair.toServer(), 3333);
            MemorySegment buffer = Arena.ofAuto().allocate(64);
            long receive = pair.serverContext().postReceive(pair.toClient(), buffer, 9);
            log.fails = true;
            assertThatThrownBy(client::close).isInstanceOf(OutOfMemoryError.class);
            log.fails = false;
            assertThatThrownBy(() -> pair.serverContext().await(receive, 5000))
                    .isInstanceOfSatisfying(
                            BmiException.class,
                            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.EPIPE));
        } finally {
            log.close();
        }
    }

    @Test
    void aBlockThatWasFreedIsNotSent() {
        try (Bmi server = world.serverBuilder().open();
                Bmi client = world.builder().open()) {
            Pair pair = Pair.of(server, server.openContext(), client);
            MemorySegment freed = pair.toServer().allocate(4096);
            MemorySegment held = pair.toServer().allocate(4096);
            client.free(freed);
            long posted = pair.clientContext().postSend(pair.toServer(), freed, 5);
            assertThat(PostResult.refusal(posted)).isEqualTo(ErrorCode.EINVAL);
            long said =
                    pair.clientContext()
                            .postSendUnexpected(pair.toServer(), freed.asSlice(0, 64), 5);
            assertThat(PostResult.refusal(said)).as("a short note").isEqualTo(ErrorCode.EINVAL);
            client.free(held);
        }
    }
}
