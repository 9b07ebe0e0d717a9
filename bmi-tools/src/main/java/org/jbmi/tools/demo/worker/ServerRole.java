package org.jbmi.tools.demo.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.tools.demo.forward.ForwardServer;
import org.jbmi.zbmi.host.HostKnobs;

import java.nio.file.Files;

/** The forwarding server. */
public final class ServerRole implements Role {
    private final WorkerSettings settings;
    private final BmiBuilder builder;
    private long poolBytes;

    /**
     * Makes a server.
     *
     * @param settings of the demo
     * @param builder describes its instance
     */
    public ServerRole(WorkerSettings settings, BmiBuilder builder) {
        this.settings = settings;
        this.builder = builder;
    }

    @Override
    public void work(WorkerChannel channel) throws Exception {
        Files.createDirectories(settings.storage());
        try (Bmi bmi = open(channel);
                CompletionContext context = bmi.openContext()) {
            ForwardServer server =
                    new ForwardServer(
                            bmi,
                            context,
                            settings.storage(),
                            settings.depth(),
                            sentence -> channel.tell(said(sentence)));
            Thread stopper =
                    Thread.ofPlatform()
                            .daemon()
                            .name("demo-server-stop")
                            .start(() -> stopWhenTold(channel, server));
            channel.tell(new WorkerEvent(WorkerEvent.Kind.READY, poolBytes, 0, ""));
            server.run();
            stopper.join();
        } finally {
            Trees.delete(settings.storage());
        }
    }

    /** On the named interface only: a demo is nobody else's business. */
    private Bmi open(WorkerChannel channel) {
        builder.listen(settings.address())
                .knob("tcp.bindSpecific", "true")
                .automaticReferences(true);
        String wanted = settings.knobs().get(HostKnobs.TOTAL_BYTES.name());
        return wanted == null ? builder.open() : openHost(channel, Long.parseLong(wanted));
    }

    /** One that makes its pool itself makes do with what memory there is, and says so. */
    private Bmi openHost(WorkerChannel channel, long wanted) {
        for (long bytes = wanted; ; bytes /= 2) {
            try {
                Bmi bmi = builder.knob(HostKnobs.TOTAL_BYTES.name(), Long.toString(bytes)).open();
                poolBytes = bytes;
                if (bytes < wanted) {
                    String sentence = DaemonRole.shrunk(settings.knobs(), wanted, bytes);
                    channel.tell(WorkerEvent.of(WorkerEvent.Kind.NOTED, sentence));
                }
                return bmi;
            } catch (BmiException e) {
                if (e.code() != ErrorCode.ENOSPC || bytes / 2 < DaemonRole.MIN_TOTAL_BYTES) {
                    throw e;
                }
            }
        }
    }

    private static WorkerEvent said(String sentence) {
        return WorkerEvent.of(WorkerEvent.Kind.SAID, sentence);
    }

    private static void stopWhenTold(WorkerChannel channel, ForwardServer server) {
        try {
            while (channel.next() != WorkerCommand.QUIT) {
                // Other commands are for clients.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.stop();
    }
}
