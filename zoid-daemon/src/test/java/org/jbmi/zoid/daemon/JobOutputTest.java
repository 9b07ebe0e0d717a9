package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.Call;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.zoid.forward.wire.Names;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** How a launcher fetches the output of plug-ins from a server that does not give it at once. */
@Timeout(60)
class JobOutputTest {
    private final ByteArrayOutputStream out =
            new ByteArrayOutputStream() {
                @Override
                public void write(byte[] text, int offset, int length) {
                    if (isBroken && length > 0) {
                        throw new OutOfMemoryError("planted by the test");
                    }
                    super.write(text, offset, length);
                }
            };

    private final ByteArrayOutputStream err =
            new ByteArrayOutputStream() {
                @Override
                public void write(byte[] text, int offset, int length) {
                    if (isErrorBroken && length > 0) {
                        throw new OutOfMemoryError("planted by the test");
                    }
                    super.write(text, offset, length);
                }
            };

    private final Queue<ErrorCode> refusals = new ConcurrentLinkedQueue<>();
    private final List<Long> asked = new CopyOnWriteArrayList<>();
    private final List<Optional<Duration>> deadlines = new CopyOnWriteArrayList<>();
    private volatile boolean isBroken;
    private volatile boolean isErrorBroken;
    private volatile long failsAt = -2; // no batch has this number
    private volatile String endOfLine = "\n";

    private JobWords.Pieces output(Call<JobWords.Fetch, JobWords.Pieces> call) {
        long taken = call.input().taken();
        asked.add(taken);
        ErrorCode refusal = taken == failsAt ? ErrorCode.EINVAL : refusals.poll();
        if (refusal != null) {
            throw new BmiException(refusal, "Not now.");
        }
        byte[] text = ("text " + taken + endOfLine).getBytes(StandardCharsets.UTF_8);
        return new JobWords.Pieces(
                taken == 0 || taken == 1 ? List.of(new JobWords.Piece(1, text)) : List.of());
    }

    private void register(ShipperServer server) {
        server.register(
                Names.JOB,
                JobWords_InCodec.INSTANCE,
                JobWords_OutCodec.INSTANCE,
                _ -> {
                    new CountDownLatch(1).await(); // until the launcher cancels it
                    return new JobWords.Out(0);
                });
        for (String name : List.of(Names.JOB_START, Names.JOB_END)) {
            server.register(
                    name,
                    JobWords_NameCodec.INSTANCE,
                    JobWords_AnswerCodec.INSTANCE,
                    call -> {
                        deadlines.add(call.timeLeft());
                        return new JobWords.Answer(0, "");
                    });
        }
        server.register(
                Names.OUTPUT,
                JobWords_FetchCodec.INSTANCE,
                JobWords_PiecesCodec.INSTANCE,
                this::output);
    }

    private int run() throws Exception {
        LoopbackHub hub = new LoopbackHub();
        JobRun.Wishes wishes = new JobRun.Wishes(1, 0, List.of("true"), List.of(), null);
        try (Bmi serverBmi =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .open();
                ShipperServer server = Shipper.builder(serverBmi).server();
                Bmi clientBmi = Bmi.builder().attach(LoopbackHub.class, hub).open();
                JobRun run =
                        new JobRun(
                                clientBmi,
                                "loopback://server",
                                wishes,
                                new PrintStream(out, true),
                                new PrintStream(err, true))) {
            register(server);
            server.start();
            return run.run();
        }
    }

    /** As a server does it that has no memory now, or whose launcher was stopped for a while. */
    @Test
    void aFetchThatFailsForNowIsMadeAgain() throws Exception {
        refusals.addAll(List.of(ErrorCode.ENOMEM, ErrorCode.ETRYAGAIN, ErrorCode.ETIMEDOUT));
        assertThat(run()).isZero();
        assertThat(out.toString()).isEqualTo("text 0\ntext 1\n");
        assertThat(err.toString()).isEmpty();
        assertThat(asked).containsExactly(0L, 0L, 0L, 0L, 1L, 2L);
    }

    @Test
    void theServerIsToldThatNobodyFetchesAnyMore() throws Exception {
        refusals.add(ErrorCode.EINVAL);
        assertThat(run()).isZero();
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).contains("zoid run: the output of plug-ins is lost: ");
        assertThat(asked).containsExactly(0L, JobWords.Fetch.NO_MORE);
    }

    /** The scripts of a server may take as long as its settings allow. */
    @Test
    void aLauncherWaitsForTheScriptsWithoutLimit() throws Exception {
        assertThat(run()).isZero();
        assertThat(deadlines).hasSize(2).allMatch(Optional::isEmpty);
    }

    /** Else functions that write would wait for ever, and ranks for them. */
    @Test
    void theServerIsToldAlsoWhenTheOutputCannotBeWritten() throws Exception {
        isBroken = true;
        assertThat(run()).isZero();
        assertThat(err.toString())
                .contains("zoid run: the output of plug-ins is lost: planted by the test");
        assertThat(asked).containsExactly(0L, JobWords.Fetch.NO_MORE);
    }

    @Test
    void theBeginningOfALineIsWrittenAlsoWhenTheFailureCannotBeSaid() throws Exception {
        failsAt = 1;
        endOfLine = "";
        isErrorBroken = true;
        assertThat(run()).isZero();
        assertThat(out.toString()).isEqualTo("text 0");
    }
}
