package org.jbmi.zbmi.host;

import org.jbmi.mempool.SharedSegment;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.place.HostPlace;
import org.jbmi.zbmi.host.place.LentHostTotals;
import org.jbmi.zbmi.host.place.Refusals;
import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's part for a direct server: it makes a segment, redirects clients, and removes what
 * the server leaves. One server at a time; for the engine's thread alone.
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
        SharedSegment segment = HostPlace.createSegment(Refusals.LOAN, layout);
        try {
            String file = segment.file().toAbsolutePath().toString();
            Welcome welcome = template.loan(generation, file, segment.generation());
            lent = segment;
            return welcome;
        } finally {
            if (lent == null) {
                segment.close(); // there was no memory for the welcome
            }
        }
    }

    @Override
    public Redirect redirect() {
        return new Redirect(directory.serverSocket().toAbsolutePath().toString());
    }

    /** Removes the segment and the server's files, and takes over its counters and errors. */
    @Override
    public void takeBack() {
        SharedSegment segment = lent;
        if (segment != null) {
            segment.close();
            totals.takeOver(directory);
        }
        HostPlace.removeServerFiles(directory);
        lent = null; // only now: what finds no memory is done at the end of the host
    }

    @Override
    public void close() {
        takeBack();
    }
}
