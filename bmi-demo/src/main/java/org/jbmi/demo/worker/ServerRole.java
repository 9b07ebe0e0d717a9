package org.jbmi.demo.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tools.cli.ListenAddresses;
import org.jbmi.tools.cli.Trees;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;

import java.nio.file.Files;
import java.util.List;

/** The zoidfs server. */
public final class ServerRole implements Role {
    private final WorkerSettings settings;
    private final BmiBuilder builder;
    private long poolBytes;

    /** Makes a server. */
    public ServerRole(WorkerSettings settings, BmiBuilder builder) {
        this.settings = settings;
        this.builder = builder;
    }

    @Override
    public void work(WorkerChannel channel) throws Exception {
        Files.createDirectories(settings.storage());
        ExportSettings export = ExportSettings.of(settings.storage(), ExportKey.random());
        try (Bmi bmi = open(channel);
                ZoidfsServer server =
                        ZoidfsServer.serve(bmi, export, Dialect.MAIN, Limits.DEFAULT)) {
            String address = new ListenAddresses(List.of(settings.address())).resolved(bmi);
            channel.tell(new WorkerEvent(WorkerEvent.Kind.READY, poolBytes, 0, address));
            while (channel.next() != WorkerCommand.QUIT) {
                // Other commands are for clients.
            }
            long abandoned = server.counters().abandonedCalls();
            if (abandoned > 0) {
                channel.tell(said(abandoned + " calls were left by their clients."));
            }
        } finally {
            Trees.delete(settings.storage());
        }
    }

    /** Opens the server on the named interface only, so that other hosts cannot reach it. */
    private Bmi open(WorkerChannel channel) {
        builder.listen(settings.address())
                .knob("tcp.bindSpecific", "true")
                .automaticReferences(true);
        return settings.knobs().containsKey(HostKnobs.TOTAL_BYTES.name())
                ? DaemonRole.open(settings.knobs(), channel, this::openHost)
                : builder.open();
    }

    private Bmi openHost(long bytes) {
        Bmi bmi = builder.knob(HostKnobs.TOTAL_BYTES.name(), Long.toString(bytes)).open();
        poolBytes = bytes;
        return bmi;
    }

    private static WorkerEvent said(String sentence) {
        return WorkerEvent.of(WorkerEvent.Kind.SAID, sentence);
    }
}
