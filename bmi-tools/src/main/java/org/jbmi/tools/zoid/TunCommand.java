package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.mempool.os.TunDevice;
import org.jbmi.tools.cli.EndInOrder;
import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoid.forward.client.PacketLink;
import org.jbmi.zoid.forward.client.Zoid;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/** The command {@code zoid tun}. */
@Command(
        name = "tun",
        versionProvider = ToolVersion.class,
        description = {
            "Makes a network interface that leads to the node of a server.",
            "",
            "Needs the right to make interfaces (root). Prints 'ready', the interface, its address,"
                    + " and that of the node; set it up with 'ip'. The interface ends with the"
                    + " command. SIGTERM and Ctrl-C end it, with exit status 0.",
            ""
        })
public final class TunCommand extends ToolCommand implements Callable<Integer> {
    private static final int LOOK_MS = 100;
    private static final Duration LOOK = Duration.ofMillis(LOOK_MS);
    private static final int VERSION_4 = 4;

    @Mixin private ServerOption server = new ServerOption();
    @Mixin private MethodKnobs knobs = new MethodKnobs();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "zoid0",
            description = "The name of the interface; default: ${DEFAULT-VALUE}.")
    private String name;

    private final AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>();
    private volatile boolean over;

    @Override
    public Integer call() throws ToolException, InterruptedException {
        checkName(); // before a wait for a server
        EndInOrder end = new EndInOrder();
        try (Bmi bmi = knobs.open(this::wrongUse)) {
            String address = server.address(bmi, this::wrongUse);
            try (TunDevice device = open();
                    Zoid zoid = Zoid.connect(bmi, address);
                    PacketLink link = zoid.packets()) {
                end.listen();
                run(device, link, end);
            }
        } finally {
            end.over();
        }
        return status();
    }

    /** The exit status, after the end of both directions. */
    int status() throws ToolException {
        Throwable why = trouble.get();
        if (why != null) {
            throw new ToolException(Sentences.of(why), why);
        }
        return 0;
    }

    private void checkName() {
        try {
            TunDevice.checkName(name);
        } catch (IllegalArgumentException e) {
            throw wrongUse(e.getMessage());
        }
    }

    private TunDevice open() throws ToolException {
        try {
            return TunDevice.open(name);
        } catch (IOException e) {
            throw new ToolException(String.valueOf(e.getMessage()), e);
        }
    }

    private void run(TunDevice device, PacketLink link, EndInOrder end)
            throws ToolException, InterruptedException {
        Thread out = Thread.ofPlatform().start(() -> until(end, () -> sendOne(device, link)));
        Thread in = Thread.ofPlatform().start(() -> until(end, () -> receiveOne(device, link)));
        PrintWriter words = spec().commandLine().getOut();
        words.println(
                "ready %s %s %s"
                        .formatted(
                                name,
                                link.address().getHostAddress(),
                                link.node().getHostAddress()));
        try {
            showReady(words);
            end.await();
        } finally {
            over = true;
            out.join();
            in.join();
        }
    }

    /** A direction of packets. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    /** Moves packets in one direction until the end; keeps the first failure of the two. */
    void until(EndInOrder end, Step step) {
        try {
            while (!over) {
                step.run();
            }
        } catch (IOException | RuntimeException | Error e) {
            trouble.compareAndSet(null, e);
        } finally {
            end.ask(); // else the other direction would go on alone
        }
    }

    private static void sendOne(TunDevice device, PacketLink link) throws IOException {
        byte[] packet = device.receive(LOOK_MS);
        // The system also sends IPv6 packets, which are not forwarded.
        if (packet != null
                && packet.length > 0
                && packet.length <= PacketLink.MOST_BYTES
                && packet[0] >> VERSION_4 == VERSION_4) {
            link.send(packet);
        }
    }

    private static void receiveOne(TunDevice device, PacketLink link) {
        byte[] packet = link.receive(LOOK);
        if (packet != null) {
            device.send(packet); // the system drops it while the interface is down
        }
    }
}
