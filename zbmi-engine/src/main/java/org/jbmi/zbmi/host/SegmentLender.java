package org.jbmi.zbmi.host;

import org.jbmi.mempool.SharedSegment;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.jbmi.zbmi.protocol.Redirect;
import org.jbmi.zbmi.protocol.Welcome;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a daemon does for a server that hosts the engine itself: it makes a segment for it, tells
 * clients where it listens, and sweeps what it leaves. One server at a time; for the engine's
 * thread alone.
 */
final class SegmentLender implements Loans, AutoCloseable {
    private final HostLayout layout;
    private final RuntimeDirectory directory;
    private final LentHostTotals totals;
    private @Nullable SharedSegment lent;

    SegmentLender(HostPlace place) {
        this.layout = place.layout();
        this.directory = place.directory();
        this.totals = new LentHostTotals(place.counters(), place.context().errors());
    }

    @Override
    public boolean isLent() {
        return lent != null;
    }

    @Override
    public Welcome lend(WelcomeTemplate template, int generation) {
        SharedSegment segment = HostPlace.createSegment("The daemon's loan", layout);
        lent = segment;
        return template.loan(
                generation, segment.file().toAbsolutePath().toString(), segment.generation());
    }

    @Override
    public Redirect redirect() {
        return new Redirect(directory.serverSocket().toAbsolutePath().toString());
    }

    /**
     * It goes, and whatever else the server has left. What it has counted and seen is the daemon's
     * from now on.
     */
    @Override
    public void takeBack() {
        SharedSegment segment = lent;
        lent = null;
        if (segment != null) {
            segment.close();
            totals.takeOver(directory);
        }
        sweep(directory.serverSocket());
        sweep(directory.serverErrors());
        sweep(directory.serverCounters());
    }

    private static void sweep(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            System.getLogger(SegmentLender.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove " + file, e);
        }
    }

    @Override
    public void close() {
        takeBack();
    }
}
