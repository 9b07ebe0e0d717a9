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

/** The directories of a measurement: an export with its file, and directories for shared memory. */
final class Workspace implements AutoCloseable {
    static final String TCP = "tcp";
    static final String FILE = "/file";

    private static final int BLOCK_BYTES = 1 << 20;
    private static final long POOL_BYTES = 192L << 20;

    private final PrivateDirectory directory;
    private final PrivateDirectory segments;
    private final long fileBytes;
    private int servers;

    private Workspace(PrivateDirectory directory, PrivateDirectory segments, long fileBytes) {
        this.directory = directory;
        this.segments = segments;
        this.fileBytes = fileBytes;
    }

    static Workspace make(Path temporary, Path memory, long fileBytes) throws IOException {
        Workspace workspace =
                new Workspace(
                        PrivateDirectory.create(temporary),
                        PrivateDirectory.create(memory),
                        fileBytes);
        Files.createDirectory(workspace.export());
        byte[] block = new byte[BLOCK_BYTES];
        new Random(1).nextBytes(block);
        try (var out = Files.newOutputStream(workspace.file())) {
            for (long at = 0; at < fileBytes; at += block.length) {
                out.write(block);
            }
        }
        return workspace;
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
        return server(Child.start(PeerMain.class, arguments), knobs);
    }

    /** Starts a server of RPCs. */
    Server answers(String method) throws IOException, ToolException {
        Map<String, String> knobs = host(method);
        List<String> arguments = new ArrayList<>(List.of(PeerMain.ANSWERS, address(method)));
        knobs.forEach((name, value) -> arguments.add(name + "=" + value));
        return server(Child.start(PeerMain.class, arguments), knobs);
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

    @Override
    public void close() throws IOException {
        try (segments) {
            directory.close();
        }
    }
}
