package org.jbmi.zbmi.host;

import org.jbmi.mempool.SharedSegment;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.jbmi.zbmi.protocol.HostKind;
import org.jbmi.zbmi.protocol.Redirect;
import org.jbmi.zbmi.protocol.SegmentMap;
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
final class SegmentLender implements AutoCloseable {
    private final HostLayout layout;
    private final RuntimeDirectory directory;
    private final HostEstate estate;
    private @Nullable SharedSegment lent;

    SegmentLender(HostPlace place) {
        this.layout = place.layout();
        this.directory = place.directory();
        this.estate = new HostEstate(place.counters(), place.context().errors());
    }

    boolean isLent() {
        return lent != null;
    }

    /**
     * Makes a segment.
     *
     * @param template of the daemon's own welcome
     * @param generation of the server's session
     * @return what the server must know
     * @throws org.jbmi.BmiException if it does not fit
     */
    Welcome lend(WelcomeTemplate template, int generation) {
        SharedSegment segment = HostPlace.createSegment("The daemon's loan", layout);
        lent = segment;
        Welcome own = template.welcome(SegmentMap.SERVER_SESSION, generation);
        return new Welcome(
                own.session(),
                generation,
                HostKind.DIRECT,
                own.daemonPid(),
                own.daemonStartMs(),
                segment.file().toAbsolutePath().toString(),
                segment.generation(),
                own.geometry(),
                own.limits());
    }

    /** Where clients meet the server. */
    Redirect redirect() {
        return new Redirect(directory.serverSocket().toAbsolutePath().toString());
    }

    /**
     * The server touches it no more: it goes, and whatever else the server has left. What it has
     * counted and seen is the daemon's from now on.
     */
    void takeBack() {
        SharedSegment segment = lent;
        lent = null;
        if (segment != null) {
            segment.close();
            estate.inherit(directory);
        }
        sweep(directory.serverSocket());
        sweep(directory.serverCounters());
        sweep(directory.serverErrors());
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
