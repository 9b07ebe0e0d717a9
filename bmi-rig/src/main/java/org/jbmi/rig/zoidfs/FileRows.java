package org.jbmi.rig.zoidfs;

import static org.jbmi.rig.zoidfs.Workspace.TCP;

import org.jbmi.Bmi;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rows of the table of zoidfs. */
final class FileRows {
    private static final int LARGE_BYTES = 1 << 20;
    private static final int AT_A_TIME = 8;
    private static final int SMALL_BYTES = 4 << 10;
    private static final int SMALL_AT_A_TIME = 32;
    private static final int CLIENTS = 8;
    private static final int BUSY = 50;
    private static final int CONNECTED = 1_000;

    /** Small instances, so that a thousand fit into one process. */
    private static final Map<String, String> LIGHT = Map.of("bmi.maxOperations", "64");

    private final Workspace workspace;

    FileRows(Workspace workspace) {
        this.workspace = workspace;
    }

    /** The rows of a method. */
    List<Row> of(String method) {
        List<Row> rows = new ArrayList<>();
        for (boolean writing : new boolean[] {false, true}) {
            Steps.Shape shape = new Steps.Shape(workspace.fileBytes(), LARGE_BYTES, writing);
            boolean isTcp = method.equals(TCP);
            rows.add(
                    new Row(
                            method,
                            (writing ? "write" : "read") + " 1 MiB, 8 at a time",
                            isTcp ? "raw TCP stream" : "FileChannel, one thread",
                            isTcp ? 0.85 : 0.6,
                            LARGE_BYTES,
                            () -> files(method, shape, 1, AT_A_TIME),
                            isTcp ? () -> stream(shape) : () -> channel(shape, 1)));
        }
        Steps.Shape small = new Steps.Shape(workspace.fileBytes(), SMALL_BYTES, false);
        rows.add(
                new Row(
                        method,
                        "4 KiB random reads, 32 at a time, 8 clients",
                        "FileChannel, 8 threads",
                        0.3,
                        0,
                        () -> files(method, small, CLIENTS, SMALL_AT_A_TIME),
                        () -> channel(small, CLIENTS)));
        rows.add(
                new Row(
                        method,
                        "get_attr, 8 clients",
                        "BMI RPC, 8 clients",
                        0.6,
                        0,
                        () -> attributes(method, CLIENTS, CLIENTS),
                        () -> messages(method)));
        if (method.equals(TCP)) {
            rows.add(
                    new Row(
                            method,
                            "get_attr, 50 busy clients of 1000",
                            "50 of 50",
                            0.9,
                            0,
                            () -> attributes(method, BUSY, CONNECTED),
                            () -> attributes(method, BUSY, BUSY)));
        }
        return rows;
    }

    /** A server with its clients; closes them if one cannot be made. */
    private static final class Opened {
        final Workspace.Server server;
        final List<AutoCloseable> owned = new ArrayList<>();
        final List<Step> steps = new ArrayList<>();

        Opened(Workspace.Server server) {
            this.server = server;
        }

        ZoidfsClient client(Map<String, String> knobs) {
            Bmi bmi = server.client(knobs);
            ZoidfsClient client =
                    ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT);
            owned.add(client);
            owned.add(bmi);
            return client;
        }

        Side side() {
            owned.add(server.child());
            return new Side(new LoadThreads(steps, owned), server.child()::cpuTime);
        }
    }

    /** Makes the steps of a side. */
    private interface Filling {
        void fill(Opened opened) throws IOException;
    }

    private Side open(Workspace.Server server, Filling filling) throws IOException {
        Opened opened = new Opened(server);
        boolean whole = false;
        try {
            filling.fill(opened);
            Side side = opened.side();
            whole = true;
            return side;
        } finally {
            if (!whole) {
                opened.owned.add(server.child());
                LoadThreads.closeAll(opened.owned);
            }
        }
    }

    private Side files(String method, Steps.Shape shape, int clients, int atATime)
            throws IOException, ToolException {
        return open(
                workspace.files(method),
                opened -> {
                    for (int c = 0; c < clients; c++) {
                        ZoidfsClient client = opened.client(Map.of());
                        FileHandle file = client.lookup(FileSpec.path(Workspace.FILE));
                        for (int t = 0; t < atATime / clients; t++) {
                            int thread = opened.steps.size();
                            Steps.Offsets offsets =
                                    clients == 1
                                            ? shape.inOrder(thread, atATime)
                                            : shape.anywhere(thread);
                            opened.steps.add(Steps.ofFile(client, file, shape, offsets));
                        }
                    }
                });
    }

    private Side channel(Steps.Shape shape, int threads) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        workspace.file(), StandardOpenOption.READ, StandardOpenOption.WRITE);
        List<Step> steps = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Steps.Offsets offsets = threads == 1 ? shape.inOrder(0, 1) : shape.anywhere(t);
            steps.add(Steps.ofChannel(channel, shape, offsets));
        }
        return Side.alone(new LoadThreads(steps, List.of(channel)));
    }

    private Side stream(Steps.Shape shape) throws IOException, ToolException {
        Child child = workspace.stream();
        boolean whole = false;
        try {
            Step step = Steps.ofStream(Integer.parseInt(child.address()), shape);
            whole = true;
            return new Side(new LoadThreads(List.of(step), List.of(child)), child::cpuTime);
        } finally {
            if (!whole) {
                child.close();
            }
        }
    }

    private Side attributes(String method, int busy, int connected)
            throws IOException, ToolException {
        return open(
                workspace.files(method),
                opened -> {
                    for (int c = 0; c < busy; c++) {
                        ZoidfsClient client = opened.client(Map.of());
                        FileHandle file = client.lookup(FileSpec.path(Workspace.FILE));
                        opened.steps.add(Steps.ofAttributes(client, file));
                    }
                    for (int c = busy; c < connected; c++) {
                        opened.client(LIGHT).ping();
                    }
                });
    }

    private Side messages(String method) throws IOException, ToolException {
        return open(
                workspace.answers(method),
                opened -> {
                    for (int c = 0; c < CLIENTS; c++) {
                        Bmi bmi = opened.server.client(Map.of());
                        opened.owned.add(bmi);
                        opened.steps.add(Steps.ofMessages(bmi, opened.server.address()));
                    }
                });
    }
}
