package org.jbmi.demo;

import org.jbmi.tools.text.Quantities;

import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;

/** Plain lines: each client at its first progress, and then once a second. */
final class PlainView extends DemoView {
    private static final long INTERVAL_MS = 1_000;

    private final Map<Integer, Long> lastMs = new HashMap<>();
    private String verb = "";
    private long bytes;

    PlainView(PrintStream out, PrintStream err) {
        super(out, err);
    }

    @Override
    void beginPhase(String newVerb, int clients, long newBytes) {
        verb = newVerb;
        bytes = newBytes;
        lastMs.clear();
    }

    @Override
    void progress(ClientRun client, long totalDone) {
        long nowMs = nowMs();
        Long before = lastMs.get(client.number());
        if (before == null || nowMs - before >= INTERVAL_MS) {
            lastMs.put(client.number(), nowMs);
            say(
                    client.name()
                            + ": "
                            + verb
                            + ", "
                            + Quantities.bytes(client.doneBytes())
                            + " of "
                            + Quantities.bytes(bytes));
        }
    }

    @Override
    void endPhase() {
        out.flush();
    }
}
