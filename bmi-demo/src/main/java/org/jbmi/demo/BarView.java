package org.jbmi.demo;

import org.jbmi.tools.text.Quantities;

import java.io.PrintStream;

/** A bar on the last line of a terminal, drawn anew ten times a second. */
final class BarView extends DemoView {
    private static final long INTERVAL_MS = 100;
    private static final int CELLS = 24;
    private static final int PERCENT = 100;
    private static final long NS_PER_MS = 1_000_000;
    private static final String CLEAR = "\r\u001b[K";

    private String verb = "";
    private long totalBytes;
    private long beginMs;
    private long lastMs;
    private boolean drawn;

    BarView(PrintStream out, PrintStream err) {
        super(out, err);
    }

    @Override
    void say(String line) {
        clear();
        super.say(line);
    }

    @Override
    void warn(String line) {
        clear();
        super.warn(line);
    }

    @Override
    void beginPhase(String newVerb, int clients, long bytes) {
        verb = newVerb;
        totalBytes = clients * bytes;
        beginMs = nowMs();
        lastMs = 0;
    }

    @Override
    void progress(ClientRun client, long totalDone) {
        long nowMs = nowMs();
        if (!isMuted() && nowMs - lastMs >= INTERVAL_MS) {
            lastMs = nowMs;
            out.print(CLEAR + bar(totalDone, nowMs - beginMs));
            out.flush();
            drawn = true;
        }
    }

    @Override
    void endPhase() {
        clear();
    }

    private String bar(long done, long elapsedMs) {
        long percent = totalBytes == 0 ? PERCENT : done * PERCENT / totalBytes;
        int full = (int) (percent * CELLS / PERCENT);
        return "%-8s[%s%s] %3d %%  %s of %s  %.0f MiB/s"
                .formatted(
                        verb,
                        "#".repeat(full),
                        ".".repeat(CELLS - full),
                        percent,
                        Quantities.bytes(done),
                        Quantities.bytes(totalBytes),
                        Quantities.mibPerSecond(done, elapsedMs * NS_PER_MS));
    }

    private void clear() {
        if (drawn) {
            out.print(CLEAR);
            out.flush();
            drawn = false;
        }
    }
}
