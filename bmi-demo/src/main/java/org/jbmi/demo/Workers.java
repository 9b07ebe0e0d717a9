package org.jbmi.demo;

import org.jbmi.demo.worker.Worker;
import org.jbmi.demo.worker.WorkerCommand;
import org.jbmi.demo.worker.WorkerListener;
import org.jbmi.tools.cli.ToolException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts the workers of a demo and ends them: the clients together, then the server, then the
 * daemon. Closing leaves nothing of them behind, whatever state they are in, and takes a bounded
 * time. Safe for use by any thread.
 */
abstract class Workers implements AutoCloseable {
    private static final long END_MS = 10_000;
    private static final long KILLED_MS = 2_000;

    private final List<Worker> services = new ArrayList<>();
    private final List<Worker> clients = new ArrayList<>();
    private boolean closed;

    /** Whether there is a daemon to start. */
    abstract boolean hasDaemon();

    /** Starts the daemon. */
    abstract Worker launchDaemon(WorkerListener listener) throws IOException;

    /** Starts the forwarding server. */
    abstract Worker launchServer(WorkerListener listener) throws IOException;

    /** Starts a client. */
    abstract Worker launchClient(int number, WorkerListener listener) throws IOException;

    /** Removes what is left when all workers have ended. */
    abstract void cleanUp() throws IOException;

    /**
     * Told what the daemon, or a server that needs none, said when it was ready: its pool's size.
     */
    void poolReady(long poolBytes) {}

    /** Told where the server said that it is found. */
    void serverReady(String address) {}

    /** Starts the daemon. */
    final synchronized Worker startDaemon(WorkerListener listener)
            throws IOException, ToolException {
        checkOpen();
        return remember(services, launchDaemon(listener));
    }

    /** Starts the forwarding server; the daemon is ready. */
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

    /** Ends all workers and removes what they used. Doing so twice does nothing. */
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
