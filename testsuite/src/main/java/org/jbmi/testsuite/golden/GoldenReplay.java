package org.jbmi.testsuite.golden;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Replays recordings, each side in turn played by the library. */
public final class GoldenReplay {
    private static final long LIMIT_NS = 20_000_000_000L;

    private final GoldenBench bench;

    /**
     * A replay on a method.
     *
     * @param bench makes its instances
     */
    public GoldenReplay(GoldenBench bench) {
        this.bench = bench;
    }

    /**
     * Replays a recording in both roles.
     *
     * @param recording which
     * @return null if all was as recorded, else what was not
     */
    public @Nullable String replay(Recording recording) {
        for (int i = 0; i < recording.sides().size(); i++) {
            String problem = replay(recording, i);
            if (problem != null) {
                return "as " + recording.sides().get(i).name() + ": " + problem;
            }
        }
        return null;
    }

    private @Nullable String replay(Recording recording, int ours) {
        Recording.Side own = recording.sides().get(ours);
        Recording.Side other = recording.sides().get(1 - ours);
        Signals signals = new Signals();
        long deadlineNs = System.nanoTime() + LIMIT_NS;
        try (RawSide raw = new RawSide(recording, other, signals)) {
            FutureTask<Void> task;
            Map<Integer, Integer> redirects = new TreeMap<>();
            try (Bmi bmi = open(recording, own, other, raw, redirects)) {
                task =
                        new FutureTask<>(
                                () -> {
                                    raw.run(deadlineNs);
                                    return null;
                                });
                Thread thread = new Thread(task, "golden-raw");
                thread.setDaemon(true);
                thread.start();
                new ApiSide(recording, own, bmi, signals, deadlineNs).run();
                task.get(LIMIT_NS, TimeUnit.NANOSECONDS);
            }
            return raw.leftOver();
        } catch (IOException | ExecutionException | TimeoutException | RuntimeException e) {
            Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
            return String.valueOf(cause == null ? e : cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Every port of the recording leads to the raw side: only that one is ever looked up. */
    private Bmi open(
            Recording recording,
            Recording.Side own,
            Recording.Side other,
            RawSide raw,
            Map<Integer, Integer> redirects) {
        if (own.lookup() != null) {
            redirects.put(portOf(own.lookup()), raw.port());
        }
        if (other.listen() != null) {
            redirects.put(portOf(other.listen()), raw.port());
        }
        String identity = own.listen() == null ? "" : own.listen();
        BmiBuilder builder = bench.builder(recording.standalone(), identity, redirects);
        if (own.listen() == null) {
            return builder.open();
        }
        Bmi bmi = builder.listen("tcp://127.0.0.1:0").knob("tcp.bindSpecific", "true").open();
        raw.otherPort(bmi.getOption(bmi.option("BMI_TCP_GET_PORT", Integer.class)));
        return bmi;
    }

    private static int portOf(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }
}
