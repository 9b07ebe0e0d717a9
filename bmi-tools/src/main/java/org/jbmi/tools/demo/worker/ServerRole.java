package org.jbmi.tools.demo.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.tools.demo.forward.ForwardServer;

import java.nio.file.Files;

/** The forwarding server. */
public final class ServerRole implements Role {
    private final WorkerSettings settings;
    private final BmiBuilder builder;

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
        try (Bmi bmi = open();
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
            channel.tell(WorkerEvent.of(WorkerEvent.Kind.READY, ""));
            server.run();
            stopper.join();
        } finally {
            Trees.delete(settings.storage());
        }
    }

    /** On the named interface only: a demo is nobody else's business. */
    private Bmi open() {
        return builder.listen(settings.address())
                .bindSpecific(true)
                .automaticReferences(true)
                .open();
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
