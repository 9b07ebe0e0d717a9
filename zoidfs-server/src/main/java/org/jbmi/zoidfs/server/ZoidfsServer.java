package org.jbmi.zoidfs.server;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.os.RightsCalls;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jbmi.zoidfs.server.pipeline.Pipeline;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A server of files: one folder, served at the addresses of one {@link Bmi}. Opened with {@link
 * #serve}; runs in threads of its own until it is closed.
 */
public final class ZoidfsServer implements AutoCloseable {
    private final ExportRoot root;
    private final SystemCalls calls;
    private final ServerCounters counters = new ServerCounters();
    private final Pipeline pipeline;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ZoidfsServer(
            Bmi bmi, ExportRoot root, SystemCalls calls, Dialect dialect, Limits limits) {
        this.root = root;
        this.calls = calls;
        this.pipeline = new Pipeline(bmi, root, calls, dialect, limits, counters);
    }

    /**
     * Serves a folder.
     *
     * @param bmi a server that counts references by itself ({@code automaticReferences(true)}); it
     *     stays the caller's, who closes it after this server
     * @param export what is served
     * @param dialect what replies look like
     * @param limits what clients can make grow
     * @throws IOException with a sentence if the folder cannot be served
     */
    public static ZoidfsServer serve(Bmi bmi, ExportSettings export, Dialect dialect, Limits limits)
            throws IOException {
        try {
            return serve(bmi, export, dialect, limits, SystemCalls.bind());
        } catch (UnsupportedOperationException e) {
            throw new IOException("Files cannot be served here: " + e.getMessage() + ".", e);
        }
    }

    /** Serves with given system calls, so that tests can have a disk that fails. */
    static ZoidfsServer serve(
            Bmi bmi, ExportSettings export, Dialect dialect, Limits limits, SystemCalls calls)
            throws IOException {
        ExportRoot root = new ExportRoot(export, calls);
        checkRights(export, root, calls);
        try {
            return new ZoidfsServer(bmi, root, calls, dialect, limits);
        } catch (BmiException e) {
            root.close(calls);
            throw e;
        }
    }

    /** A thread of its own tries the rights, since a thread that took them cannot be trusted. */
    private static void checkRights(ExportSettings export, ExportRoot root, SystemCalls calls)
            throws IOException {
        if (export.user() == null) {
            return;
        }
        Throwable why = null;
        try {
            if (RightsCalls.isRoot()
                    && CompletableFuture.supplyAsync(
                                    () -> root.enter(calls.forOtherThread()),
                                    Thread.ofPlatform().name("zoidfs-rights")::start)
                            .join()) {
                return;
            }
        } catch (CompletionException e) {
            why = e.getCause();
        }
        root.close(calls);
        throw new IOException(
                "Only root, with the capabilities CAP_SETUID and CAP_SETGID, can act with"
                        + " another user's rights; this process cannot.",
                why);
    }

    /** What it counts. */
    public ServerCounters counters() {
        return counters;
    }

    /** What it counts, and what is under way, in the text format of Prometheus. */
    public String toPrometheus() {
        return pipeline.report();
    }

    /** Whether handles stay good when the server is started again. */
    public boolean handlesOutliveRestart() {
        return root.handlesOutliveRestart();
    }

    /** Requests under way. */
    public int calls() {
        return pipeline.calls();
    }

    /** Files that are open. */
    public int openFiles() {
        return root.openFiles();
    }

    /**
     * Waits a limited time for calls under way, then stops the threads and closes the files that no
     * call uses. Closing twice does nothing.
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        pipeline.close();
        if (pipeline.waitsForDisk()) {
            // The thread goes on with the descriptors that it has, so these must not be free.
            root.closeIdle(calls);
        } else {
            root.close(calls);
        }
    }
}
