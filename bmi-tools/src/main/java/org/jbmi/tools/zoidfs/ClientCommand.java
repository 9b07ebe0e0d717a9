package org.jbmi.tools.zoidfs;

import org.jbmi.Bmi;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;

import picocli.CommandLine.Option;

import java.io.IOException;

/** What commands that talk to a server share. */
abstract class ClientCommand extends ToolCommand {
    private static final long MS_PER_SECOND = 1_000;

    @Option(
            names = "--sfp",
            description = "The server speaks the dialect sfp, whose replies carry hints.")
    private boolean sfp;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long the server may be silent. Default: ${DEFAULT-VALUE}.")
    private long timeoutSeconds;

    /** Something to be done with a server. */
    interface Work {
        void with(ZoidfsClient client) throws IOException, ToolException, InterruptedException;
    }

    /** Connects, works, and lets go. */
    final void on(Location location, Work work)
            throws IOException, ToolException, InterruptedException {
        if (timeoutSeconds <= 0) {
            throw wrongUse("--timeout is more than 0");
        }
        ClientOptions options =
                ClientOptions.DEFAULT
                        .withDialect(sfp ? Dialect.SFP : Dialect.MAIN)
                        .withTimeoutMs(timeoutSeconds * MS_PER_SECOND);
        try (Bmi bmi = Bmi.open();
                ZoidfsClient client = ZoidfsClient.connect(bmi, location.address(), options)) {
            work.with(client);
        }
    }
}
