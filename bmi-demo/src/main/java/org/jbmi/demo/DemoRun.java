package org.jbmi.demo;

import org.jbmi.demo.ClientRun.Step;
import org.jbmi.demo.worker.Worker;
import org.jbmi.demo.worker.WorkerCommand;
import org.jbmi.demo.worker.WorkerEvent;
import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.text.Quantities;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The coordinator: starts the workers one after the other, lets all clients write at the same time
 * and then read back, and checks their reports. Used by one thread.
 *
 * <p>If one process dies others fail too, and their events may come first. So it waits for a moment
 * after a failure, and then reports the daemon's rather than the server's, and the server's rather
 * than a client's.
 */
final class DemoRun {
    /** After this time without an event, the clients that have not finished are lost. */
    static final long SILENCE_MS = 60_000;

    private static final long HOLD_MS = 500;
    private static final long POLL_MS = 100;

    private final DemoPlan plan;
    private final Workers workers;
    private final DemoView view;
    private final DemoEvents events = new DemoEvents();
    private final List<ClientRun> clients = new ArrayList<>();
    private @Nullable Worker daemon;
    private @Nullable Worker server;
    private boolean serviceReady;
    private @Nullable String daemonFailure;
    private @Nullable String serverFailure;
    private long heldUntilMs;
    private long lastEventMs;

    DemoRun(DemoPlan plan, Workers workers, DemoView view) {
        this.plan = plan;
        this.workers = workers;
        this.view = view;
    }

    /**
     * Runs the demo.
     *
     * @return the result, if daemon and server have not failed
     * @throws ToolException if one of them has failed
     * @throws IOException if a process cannot be started or the file cannot be read
     */
    DemoResult run() throws ToolException, IOException, InterruptedException {
        FutureTask<String> digest =
                new FutureTask<>(() -> FileDigest.sha256(plan.file(), plan.sizeBytes()));
        Thread.ofPlatform().name("demo-digest").daemon().start(digest);
        try {
            startServices();
            startClients();
            String expected = get(digest);
            long writeNs = phase(WorkerCommand.WRITE, "writing", Step.READY, Step.WRITTEN);
            long readNs = phase(WorkerCommand.READ, "reading", Step.WRITTEN, Step.DONE);
            return new DemoResult(plan, clients, expected, writeNs, readNs);
        } finally {
            events.close();
        }
    }

    private void startServices() throws ToolException, IOException, InterruptedException {
        if (workers.hasDaemon()) {
            daemon = workers.startDaemon(events);
            awaitService(daemon);
        }
        server = workers.startServer(events);
        awaitService(server);
    }

    private void awaitService(Worker service) throws ToolException, InterruptedException {
        serviceReady = false;
        lastEventMs = DemoView.nowMs();
        while (!serviceReady) {
            listen();
            if (DemoView.nowMs() - lastEventMs > SILENCE_MS) {
                throw new ToolException(
                        "The %s is not ready after %d s."
                                .formatted(service.name(), SILENCE_MS / 1000));
            }
        }
        view.say(service.name() + ": ready");
    }

    private void startClients() throws ToolException, IOException, InterruptedException {
        for (int number = 1; number <= plan.clients(); number++) {
            clients.add(new ClientRun(number, workers.startClient(number, events)));
        }
        await(Step.READY);
        for (ClientRun client : clients) {
            if (!client.isLost()) {
                view.say(client.name() + ": ready");
            }
        }
    }

    /** Lets all clients run one command at the same time; returns how long that took. */
    private long phase(WorkerCommand command, String verb, Step from, Step to)
            throws ToolException, InterruptedException {
        view.beginPhase(verb, plan.clients(), plan.sizeBytes());
        long beginNs = System.nanoTime();
        for (ClientRun client : clients) {
            if (client.step() == from) {
                client.begin(command);
            }
        }
        long endNs = await(to);
        view.endPhase();
        for (ClientRun client : clients) {
            if (client.step() == to) {
                long nanos = to == Step.WRITTEN ? client.writeNs() : client.readNs();
                view.say(
                        "%s: %s, done in %s s"
                                .formatted(client.name(), verb, Quantities.seconds(nanos)));
            }
        }
        return endNs - beginNs;
    }

    /** Waits until every client has reached a step or is lost; returns the time of the last one. */
    private long await(Step step) throws ToolException, InterruptedException {
        lastEventMs = DemoView.nowMs();
        long endNs = System.nanoTime();
        long there = 0;
        for (boolean complete = false; !complete || isHeld(); ) {
            listen();
            long now = clients.stream().filter(client -> client.step() == step).count();
            if (now > there) {
                there = now;
                endNs = System.nanoTime();
            }
            complete = clients.stream().allMatch(c -> c.isLost() || c.step() == step);
            if (!complete && DemoView.nowMs() - lastEventMs > SILENCE_MS) {
                giveUpSilent(step);
            }
        }
        return endNs;
    }

    private void giveUpSilent(Step step) {
        for (ClientRun client : clients) {
            if (client.step() != step) {
                client.lose("said nothing for " + SILENCE_MS / 1000 + " s");
                client.worker().kill();
            }
        }
    }

    /** Takes one event, if there is one, and reports failures after their wait. */
    private void listen() throws ToolException, InterruptedException {
        DemoEvents.Item item = events.poll(POLL_MS);
        if (item != null) {
            lastEventMs = DemoView.nowMs();
            heard(item.worker(), item.event());
        }
        String failure = daemonFailure == null ? serverFailure : daemonFailure;
        if (failure != null && (daemonFailure != null || !isHeld())) {
            throw new ToolException(failure);
        }
    }

    private void heard(Worker worker, WorkerEvent event) {
        if (event.kind() == WorkerEvent.Kind.SAID) {
            view.warn(worker.name() + ": " + event.text());
        } else if (event.kind() == WorkerEvent.Kind.NOTED) {
            view.say(worker.name() + ": " + event.text());
        } else if (worker.equals(daemon)) {
            daemonFailure = serviceHeard(worker, event, daemonFailure);
        } else if (worker.equals(server)) {
            serverFailure = serviceHeard(worker, event, serverFailure);
        } else {
            clients.stream()
                    .filter(c -> c.worker().equals(worker))
                    .forEach(c -> clientHeard(c, event));
        }
    }

    private @Nullable String serviceHeard(
            Worker worker, WorkerEvent event, @Nullable String failure) {
        switch (event.kind()) {
            case READY -> {
                serviceReady = true;
                if (event.bytes() > 0) {
                    workers.poolReady(event.bytes());
                }
                if (!event.text().isEmpty()) {
                    workers.serverReady(event.text());
                }
            }
            case FAILED -> {
                hold();
                return failure == null
                        ? Sentences.finish("The " + worker.name() + " failed: " + event.text())
                        : failure;
            }
            case ENDED -> {
                hold();
                return failure == null
                        ? Sentences.finish("The " + worker.name() + " " + event.text() + when())
                        : failure;
            }
            default -> {}
        }
        return failure;
    }

    private void clientHeard(ClientRun client, WorkerEvent event) {
        boolean wasLost = client.isLost();
        client.heard(event);
        if (client.isLost() && !wasLost) {
            hold();
        } else if (event.kind() == WorkerEvent.Kind.PROGRESS) {
            long total = clients.stream().mapToLong(ClientRun::doneBytes).sum();
            view.progress(client, total);
        }
    }

    private String when() {
        return clients.isEmpty() ? " before it was ready" : " while the clients were at work";
    }

    private void hold() {
        heldUntilMs = DemoView.nowMs() + HOLD_MS;
    }

    private boolean isHeld() {
        return DemoView.nowMs() < heldUntilMs;
    }

    private static String get(FutureTask<String> digest) throws IOException, InterruptedException {
        try {
            return digest.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException("The digest failed.", e.getCause());
        }
    }
}
