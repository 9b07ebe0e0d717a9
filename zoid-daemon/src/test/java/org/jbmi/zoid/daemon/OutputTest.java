package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The output of plug-ins between those who write it and the launcher. */
@Timeout(60)
class OutputTest {
    private static final int PIECE_BYTES = 64 << 10;
    private static final int PIECES = 16;

    private final Output output = new Output();
    private final CompletableFuture<Boolean> written = new CompletableFuture<>();

    /** Writes as much as there is room for, and starts a thread that writes a byte more. */
    private Thread waitingWriter() throws InterruptedException {
        for (int i = 0; i < PIECES; i++) {
            assertThat(output.write(1, new byte[PIECE_BYTES])).isTrue();
        }
        Thread writer =
                Thread.ofPlatform().start(() -> written.complete(output.write(1, new byte[1])));
        DaemonSetup.await(() -> writer.getState() == Thread.State.WAITING);
        return writer;
    }

    private static List<Integer> sizes(List<JobWords.Piece> batch) {
        return batch.stream().map(piece -> piece.text().length).toList();
    }

    @Test
    void aWriterThatWaitsGoesOnWhenTheLauncherHasABatch() throws Exception {
        Thread writer = waitingWriter();
        assertThat(sizes(output.fetch(0))).containsExactly(PIECE_BYTES);
        assertThat(written).as("the batch may be lost on its way").isNotDone();
        for (int taken = 1; taken < PIECES; taken++) {
            assertThat(sizes(output.fetch(taken))).containsExactly(PIECE_BYTES);
        }
        assertThat(written.get(50, TimeUnit.SECONDS)).isTrue();
        writer.join();
        output.close();
        assertThat(sizes(output.fetch(PIECES))).containsExactly(1);
        assertThat(output.fetch(PIECES + 1)).isEmpty();
    }

    @Test
    void aWriterThatWaitsHearsThatNobodyFetchesAnyMore() throws Exception {
        Thread writer = waitingWriter();
        output.close();
        assertThat(written.get(50, TimeUnit.SECONDS)).isFalse();
        writer.join();
    }

    /** Each costs much more than its text. */
    @Test
    void aWriterOfShortPiecesWaitsLongBeforeTheirTextIsTooMuch() throws Exception {
        AtomicInteger pieces = new AtomicInteger();
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (output.write(1, new byte[1])) {
                                        pieces.incrementAndGet();
                                    }
                                });
        DaemonSetup.await(() -> writer.getState() == Thread.State.WAITING);
        assertThat(pieces.get()).isBetween(10_000, 20_000);
        int batches = 0;
        int fetched = 0;
        while (fetched < 10_000) {
            fetched += output.fetch(batches).size();
            batches++;
        }
        output.close();
        writer.join();
        while (!output.fetch(batches).isEmpty()) {
            fetched += output.fetch(batches).size();
            batches++;
        }
        assertThat(fetched).isEqualTo(pieces.get());
    }

    @Test
    void aBatchThatTheLauncherDoesNotHaveComesAgain() throws Exception {
        output.write(1, new byte[2]);
        output.write(2, new byte[3]);
        assertThat(sizes(output.fetch(0))).containsExactly(2, 3);
        output.write(1, new byte[4]);
        assertThat(sizes(output.fetch(0))).containsExactly(2, 3);
        assertThat(sizes(output.fetch(1))).containsExactly(4);
        output.close();
        assertThat(sizes(output.fetch(1))).containsExactly(4);
        assertThat(output.fetch(2)).isEmpty();
        assertThat(output.fetch(2)).isEmpty();
    }
}
