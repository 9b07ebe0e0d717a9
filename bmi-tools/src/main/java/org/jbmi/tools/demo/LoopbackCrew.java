package org.jbmi.tools.demo;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.tools.demo.worker.ClientRole;
import org.jbmi.tools.demo.worker.ServerRole;
import org.jbmi.tools.demo.worker.ThreadWorker;
import org.jbmi.tools.demo.worker.Worker;
import org.jbmi.tools.demo.worker.WorkerListener;
import org.jbmi.tools.demo.worker.WorkerSettings;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Threads of this process that meet in a hub. */
final class LoopbackCrew extends Crew {
    private static final String ADDRESS = "loopback://forwarder";

    private final LoopbackHub hub = new LoopbackHub();
    private final DemoDirectory directory;
    private final WorkerSettings settings;

    LoopbackCrew(DemoPlan plan, Path temporary) throws IOException {
        directory = DemoDirectory.create(temporary);
        settings =
                new WorkerSettings(
                        ADDRESS,
                        directory.path().resolve("files"),
                        plan.file(),
                        plan.sizeBytes(),
                        DemoPlan.CHUNK_BYTES,
                        DemoPlan.DEPTH,
                        Map.of());
    }

    @Override
    boolean hasDaemon() {
        return false;
    }

    @Override
    Worker launchDaemon(WorkerListener listener) {
        throw new UnsupportedOperationException("Loopback has no daemon.");
    }

    @Override
    Worker launchServer(WorkerListener listener) {
        return ThreadWorker.start("server", new ServerRole(settings, builder()), listener);
    }

    @Override
    Worker launchClient(int number, WorkerListener listener) {
        ClientRole role = new ClientRole(settings, number, builder());
        return ThreadWorker.start("client " + number, role, listener);
    }

    @Override
    void cleanUp() throws IOException {
        directory.close();
    }

    private BmiBuilder builder() {
        return Bmi.builder().attach(LoopbackHub.class, hub);
    }
}
