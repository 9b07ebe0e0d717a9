package org.jbmi.tools.zoidfs;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.FileType;

import picocli.CommandLine.Option;

import java.io.IOException;

/** The common part of commands that call a server. */
abstract class ClientCommand extends ToolCommand {
    private static final long MS_PER_SECOND = 1_000;
    private static final long MAX_TIMEOUT_SECONDS = 86_400;

    @Option(
            names = "--sfp",
            description = "The server speaks the dialect sfp, whose replies carry hints.")
    private boolean sfp;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description =
                    "How long the server may be silent, or one MiB of data may take. Default:"
                            + " ${DEFAULT-VALUE}.")
    private long timeoutSeconds;

    /** The work of a command with a server. */
    interface Work {
        void with(ZoidfsClient client) throws IOException, ToolException, InterruptedException;
    }

    /** Connects, works, and disconnects. */
    final void on(Location location, Work work)
            throws IOException, ToolException, InterruptedException {
        if (timeoutSeconds < 1 || timeoutSeconds > MAX_TIMEOUT_SECONDS) {
            throw wrongUse("--timeout goes from 1 to " + MAX_TIMEOUT_SECONDS);
        }
        ClientOptions options =
                ClientOptions.DEFAULT
                        .withDialect(sfp ? Dialect.SFP : Dialect.MAIN)
                        .withTimeoutMs(timeoutSeconds * MS_PER_SECOND);
        try (Bmi bmi = Bmi.open();
                ZoidfsClient client = connect(bmi, location, options)) {
            work.with(client);
        } catch (ZoidfsException e) {
            throw FileSentences.of(location, e, sfp);
        }
    }

    private ZoidfsClient connect(Bmi bmi, Location location, ClientOptions options) {
        try {
            return ZoidfsClient.connect(bmi, location.address(), options);
        } catch (BmiException e) {
            if (e.code() == ErrorCode.ENOPROTOOPT) {
                throw wrongUse(e.getMessage());
            }
            throw e;
        }
    }

    /** The location that a text of the command line names. */
    final Location location(String text) {
        try {
            return Location.of(text);
        } catch (ToolException e) {
            throw wrongUse(e.getMessage());
        }
    }

    /** The handle of a regular file; other kinds of files cannot be copied or shown. */
    static FileHandle regularFile(ZoidfsClient client, Location file)
            throws IOException, ToolException {
        FileHandle handle = client.lookup(FileSpec.path(file.path()));
        checkRegular(client, handle, file);
        return handle;
    }

    /** Fails for a file of another kind. */
    static void checkRegular(ZoidfsClient client, FileHandle handle, Location file)
            throws IOException, ToolException {
        int type = client.getAttributes(handle).type();
        if (type == FileType.DIRECTORY) {
            throw new ToolException(file + " is a directory: give the name of a file in it");
        }
        if (type != FileType.REGULAR) {
            throw notRegular(file);
        }
    }

    /** The failure for a file, of a server or of this host, that is not regular. */
    static ToolException notRegular(Object file) {
        return new ToolException(
                file + " is not a regular file, and only regular files have contents");
    }
}
