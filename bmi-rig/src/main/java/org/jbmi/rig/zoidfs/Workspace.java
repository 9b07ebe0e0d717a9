package org.jbmi.rig.zoidfs;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.HostKnobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What a measurement has outside its own process: an export with its file, directories for shared
 * memory, and servers. Its close ends the servers and removes the rest.
 */
final class Workspace implements AutoCloseable {
    static final String TCP = "tcp";
    static final String FILE = "/file";

    private static final int BLOCK_BYTES = 1 << 20;
    private static final long POOL_BYTES = 192L << 20;

    private final PrivateDirectory directory;
    private final PrivateDirectory segments;
    private final long fileBytes;
    private final List<Child> children = new ArrayList<>();
    private int servers;
    private boolean closed;

    private Workspace(PrivateDirectory directory, PrivateDirectory segments, long fileBytes) {
        this.directory = directory;
        this.segments = segments;
        this.fileBytes = fileBytes;
    }

    static Workspace make(Path temporary, Path memory, long fileBytes) throws IOException {
        PrivateDirectory directory = PrivateDirectory.create(temporary, PrivateDirectory.TEMPORARY);
        return new Workspace(
                directory,
                directory.another(memory, HostKnobs.SEGMENT_DIRECTORY.name()),
                fileBytes);
    }

    /** Writes the file of the export. */
    void fill() throws IOException {
        Files.createDirectory(export());
        byte[] block = new byte[BLOCK_BYTES];
        new Random(1).nextBytes(block);
        try (var out = Files.newOutputStream(file())) {
            for (long at = 0; at < fileBytes; at += block.length) {
                out.write(block);
            }
        }
    }

    private Path export() {
        return directory.path().resolve("export");
    }

    Path file() {
        return export().resolve(FILE.substring(1));
    }

    long fileBytes() {
        return fileBytes;
    }

    /** A server with its address and knobs. */
    record Server(Child child, String address, Map<String, String> knobs) {
        /** An instance for clients of it. */
        Bmi client(Map<String, String> further) {
            BmiBuilder builder = Bmi.builder();
            knobs.forEach(builder::knob);
            further.forEach(builder::knob);
            return builder.open();
        }
    }

    /** Starts a zoidfs server. */
    Server files(String method) throws IOException, ToolException {
        Map<String, String> knobs = host(method);
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                PeerMain.FILES,
                                "--export",
                                export().toString(),
                                "--state",
                                directory.path().resolve("state").toString()));
        knobs.forEach((name, value) -> arguments.addAll(List.of("--knob", name + "=" + value)));
        arguments.add(address(method));
        return server(start(arguments), knobs);
    }

    /** Starts a server of RPCs. */
    Server answers(String method) throws IOException, ToolException {
        Map<String, String> knobs = host(method);
        List<String> arguments = new ArrayList<>(List.of(PeerMain.ANSWERS, address(method)));
        knobs.forEach((name, value) -> arguments.add(name + "=" + value));
        return server(start(arguments), knobs);
    }

    /** Starts a server of bytes without any form. */
    Child stream() throws IOException, ToolException {
        return start(List.of(PeerMain.STREAM));
    }

    private Child start(List<String> arguments) throws IOException, ToolException {
        Child child;
        synchronized (this) {
            if (closed) {
                throw new ToolException("The measurement was ended.");
            }
            child = Child.start(PeerMain.class, arguments);
            children.add(child);
        }
        child.awaitReady();
        return child;
    }

    private static Server server(Child child, Map<String, String> knobs) {
        String runtime = RuntimeDirectory.KNOB.name();
        Map<String, String> clients =
                knobs.containsKey(runtime) ? Map.of(runtime, knobs.get(runtime)) : Map.of();
        return new Server(child, child.address(), clients);
    }

    private static String address(String method) {
        return method.equals(TCP) ? "tcp://127.0.0.1:0" : method + "://";
    }

    /** Knobs by which it meets no other daemon and no other server of this measurement. */
    private Map<String, String> host(String method) {
        Map<String, String> knobs = new LinkedHashMap<>();
        if (!method.equals(TCP)) {
            Path runtime = directory.path().resolve("run" + ++servers);
            knobs.put(RuntimeDirectory.KNOB.name(), runtime.toString());
            knobs.put("zoid.host", "embedded");
            knobs.put(HostKnobs.SEGMENT_DIRECTORY.name(), segments.path().toString());
            knobs.put(HostKnobs.TOTAL_BYTES.name(), Long.toString(POOL_BYTES));
        } else {
            knobs.put("tcp.bindSpecific", "true");
        }
        return knobs;
    }

    /** Any thread may call it, at any time. */
    @Override
    public void close() throws IOException {
        List<Child> running;
        synchronized (this) {
            closed = true;
            running = List.copyOf(children);
        }
        try (directory;
                segments) {
            running.forEach(Child::close);
        }
    }
}
