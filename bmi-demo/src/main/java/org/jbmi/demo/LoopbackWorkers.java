package org.jbmi.demo;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.demo.worker.ClientRole;
import org.jbmi.demo.worker.ServerRole;
import org.jbmi.demo.worker.ThreadWorker;
import org.jbmi.demo.worker.Worker;
import org.jbmi.demo.worker.WorkerListener;
import org.jbmi.demo.worker.WorkerSettings;
import org.jbmi.loopback.LoopbackHub;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Threads of this process, connected by a hub. */
final class LoopbackWorkers extends Workers {
    private static final String ADDRESS = "loopback://forwarder";

    /** The default size of a loopback server's pool. */
    private static final long POOL_BYTES = 64L << 20;

    private final LoopbackHub hub = new LoopbackHub();

    LoopbackWorkers(DemoPlan plan, Path temporary) throws IOException {
        super(plan, temporary);
    }

    @Override
    Worker launchServer(WorkerListener listener) {
        return ThreadWorker.start(
                "server", new ServerRole(settings("server"), builder()), listener);
    }

    @Override
    Worker launchClient(int number, WorkerListener listener) {
        String name = "client " + number;
        ClientRole role = new ClientRole(settings(name), number, builder());
        return ThreadWorker.start(name, role, listener);
    }

    private WorkerSettings settings(String role) {
        return settings(role, ADDRESS, List.of(directory().path()), POOL_BYTES, Map.of());
    }

    private BmiBuilder builder() {
        return Bmi.builder().attach(LoopbackHub.class, hub);
    }
}
