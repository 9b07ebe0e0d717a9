package org.jbmi.demo;

import org.jbmi.demo.worker.DemoWorkerMain;
import org.jbmi.demo.worker.ProcessWorker;
import org.jbmi.demo.worker.Worker;
import org.jbmi.demo.worker.WorkerListener;
import org.jbmi.demo.worker.WorkerSettings;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Processes that connect over the loopback interface. */
final class TcpWorkers extends Workers {
    /** The default size of a tcp server's pool. */
    private static final long POOL_BYTES = 64L << 20;

    private String address = "tcp://127.0.0.1:0";

    TcpWorkers(DemoPlan plan, Path temporary) throws IOException {
        super(plan, temporary);
    }

    @Override
    Worker launchServer(WorkerListener listener) throws IOException {
        return launch("server", DemoWorkerMain.SERVER, listener);
    }

    @Override
    void serverReady(String listening) {
        address = listening;
    }

    @Override
    Worker launchClient(int number, WorkerListener listener) throws IOException {
        return launch("client " + number, DemoWorkerMain.CLIENT + number, listener);
    }

    private Worker launch(String name, String role, WorkerListener listener) throws IOException {
        WorkerSettings settings =
                settings(role, address, List.of(directory().path()), POOL_BYTES, Map.of());
        return ProcessWorker.start(name, settings, listener);
    }
}
