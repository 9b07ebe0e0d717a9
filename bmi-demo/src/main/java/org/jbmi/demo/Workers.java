package org.jbmi.demo;

import org.jbmi.demo.worker.Worker;
import org.jbmi.demo.worker.WorkerCommand;
import org.jbmi.demo.worker.WorkerListener;
import org.jbmi.demo.worker.WorkerSettings;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.ToolException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts the workers of a demo and ends them: the clients together, then the server, then the
 * daemon. The close removes all that they leave behind, in any state, and takes a bounded time.
 * Safe for use by any thread.
 */
abstract class Workers implements AutoCloseable {
    private static final long END_MS = 10_000;
    private static final long KILLED_MS = 2_000;

    private final DemoPlan plan;
    private final PrivateDirectory directory;
    private final List<Worker> services = new ArrayList<>();
    private final List<Worker> clients = new ArrayList<>();
    private boolean closed;

    /** Makes the directory of the demo. */
    Workers(DemoPlan plan, Path temporary) throws IOException {
        this.plan = plan;
        directory = PrivateDirectory.create(temporary, PrivateDirectory.TEMPORARY);
    }

    final DemoPlan plan() {
        return plan;
    }

    /** The directory of the demo. */
    final PrivateDirectory directory() {
        return directory;
    }

    /** The settings of a worker, for a pool of the server of this size. */
    final WorkerSettings settings(
            String role,
            String address,
            List<Path> temporaries,
            long poolBytes,
            Map<String, String> knobs) {
        return new WorkerSettings(
                role,
                address,
                temporaries,
                plan.file(),
                plan.sizeBytes(),
                plan.chunkBytes(poolBytes),
                DemoPlan.DEPTH,
                knobs);
    }

    /** Whether there is a daemon to start. */
    boolean hasDaemon() {
        return false;
    }

    /** Starts the daemon. */
    Worker launchDaemon(WorkerListener listener) throws IOException {
        throw new UnsupportedOperationException("This demo has no daemon.");
    }

    /** Starts the zoidfs server. */
    abstract Worker launchServer(WorkerListener listener) throws IOException;

    /** Starts a client. */
    abstract Worker launchClient(int number, WorkerListener listener) throws IOException;

    /** Removes the directories after the end of all workers. */
    void cleanUp() throws IOException {
        directory.close();
    }

    /** Takes the pool's size, which the daemon or a server without one reports when it is ready. */
    void poolReady(long poolBytes) {}

    /** Takes the address of the server when it is ready. */
    void serverReady(String address) {}

    /** Starts the daemon. */
    final synchronized Worker startDaemon(WorkerListener listener)
            throws IOException, ToolException {
        checkOpen();
        return remember(services, launchDaemon(listener));
    }

    /** Starts the zoidfs server; the daemon is ready. */
    final synchronized Worker startServer(WorkerListener listener)
            throws IOException, ToolException {
        checkOpen();
        return remember(services, launchServer(listener));
    }

    /** Starts a client; the server is ready. */
    final synchronized Worker startClient(int number, WorkerListener listener)
            throws IOException, ToolException {
        checkOpen();
        return remember(clients, launchClient(number, listener));
    }

    /** Ends all workers and removes what they used. A second close does nothing. */
    @Override
    public final synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        clients.forEach(client -> client.command(WorkerCommand.QUIT));
        clients.forEach(Workers::end);
        for (Worker service : services.reversed()) {
            service.command(WorkerCommand.QUIT);
            end(service);
        }
        cleanUp();
    }

    private static Worker remember(List<Worker> list, Worker worker) {
        list.add(worker);
        return worker;
    }

    private void checkOpen() throws ToolException {
        if (closed) {
            throw new ToolException("The demo is being ended.");
        }
    }

    private static void end(Worker worker) {
        try {
            if (!worker.awaitEnd(END_MS)) {
                worker.kill();
                worker.awaitEnd(KILLED_MS);
            }
        } catch (InterruptedException e) {
            worker.kill();
            Thread.currentThread().interrupt();
        }
    }
}
