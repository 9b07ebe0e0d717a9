package org.jbmi.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Two network namespaces of this machine with a virtual link between them. */
final class TwoHosts implements AutoCloseable {
    /** The address of the first host on the link. */
    static final String FIRST = "10.77.0.1";

    private static final String SECOND = "10.77.0.2";
    private static final long LIMIT_SECONDS = 20;

    private final List<Process> hosts = new ArrayList<>();

    /** Thrown where the machine does not allow it; the message says what. */
    static final class NotAllowedException extends Exception {
        private static final long serialVersionUID = 1;

        NotAllowedException(String message) {
            super(message);
        }
    }

    TwoHosts() throws NotAllowedException, InterruptedException {
        try {
            begin(List.of("unshare", "-Urn", "sleep", "300"));
            List<String> second = new ArrayList<>(enter(0, false));
            second.addAll(List.of("unshare", "-n", "sleep", "300"));
            begin(second);
            ip(0, "link add va type veth peer name vb");
            ip(0, "link set vb netns " + hosts.get(1).pid());
            ip(0, "addr add " + FIRST + "/24 dev va");
            ip(1, "addr add " + SECOND + "/24 dev vb");
            ip(1, "link set vb up");
            link(true);
        } catch (IOException e) {
            close();
            throw new NotAllowedException("no network namespaces here: " + e.getMessage());
        }
    }

    private void begin(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        hosts.add(process);
        Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
        Path before =
                hosts.size() == 1 ? own : Files.readSymbolicLink(namespace(hosts.getFirst().pid()));
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (System.nanoTime() - endNs < 0) {
            if (!process.isAlive()) {
                throw new IOException(new String(process.getInputStream().readAllBytes()).strip());
            }
            Path now = Files.readSymbolicLink(namespace(process.pid()));
            if (!now.equals(own) && !now.equals(before)) {
                return;
            }
            Thread.sleep(5);
        }
        throw new IOException("the namespace does not come");
    }

    private static Path namespace(long pid) {
        return Path.of("/proc", Long.toString(pid), "ns", "net");
    }

    private List<String> enter(int host, boolean network) {
        List<String> command = new ArrayList<>(List.of("nsenter", "-t"));
        command.add(Long.toString(hosts.get(host).pid()));
        command.addAll(List.of("-U", "--preserve-credentials"));
        if (network) {
            command.add("-n");
        }
        return command;
    }

    /** What a program is started with to be on one of the hosts. */
    List<String> on(int host) {
        return enter(host, true);
    }

    /** Cuts the link or mends it. */
    void link(boolean up) throws IOException, InterruptedException {
        ip(0, "link set va " + (up ? "up" : "down"));
    }

    private void ip(int host, String words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(on(host));
        command.add("ip");
        command.addAll(List.of(words.split(" ")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes()).strip();
        if (process.waitFor() != 0) {
            throw new IOException("ip " + words + ": " + said);
        }
    }

    @Override
    public void close() {
        hosts.forEach(Process::destroyForcibly);
    }
}
