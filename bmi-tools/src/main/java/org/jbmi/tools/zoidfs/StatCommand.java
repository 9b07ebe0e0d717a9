package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** The command {@code zoidfs stat}. */
@Command(
        name = "stat",
        versionProvider = ToolVersion.class,
        description = {
            "Shows the attributes and the handle of a file, or the counters" + " of a server.",
            "",
            "An address without a path, such as tcp://host:3334, means the server: calls of each"
                    + " operation, and their mean time in queues, at the disk and on the link. An"
                    + " address with a path, / for the root, means a file.",
            ""
        })
public final class StatCommand extends ClientCommand implements Callable<Integer> {
    @Option(
            names = "--prometheus",
            description = "Show the counters of a server in the text format of" + " Prometheus.")
    private boolean prometheus;

    @Parameters(
            paramLabel = "LOCATION",
            description = "A file, as tcp://host:3334/file, or a server, as tcp://host:3334.")
    private String location;

    @Override
    public Integer call() throws IOException, ToolException, InterruptedException {
        Location file = location(location);
        boolean ofServer = Location.isServer(location);
        if (prometheus && !ofServer) {
            throw wrongUse("--prometheus is for a server, an address without a path");
        }
        on(file, ofServer ? this::showServer : client -> show(client, file));
        return 0;
    }

    private void showServer(ZoidfsClient client) throws IOException {
        String report = client.serverReport();
        PrintWriter out = spec().commandLine().getOut();
        if (prometheus) {
            out.print(report);
        } else {
            ServerFigures.of(report).show(out);
        }
        out.flush();
    }

    private void show(ZoidfsClient client, Location file) throws IOException {
        FileHandle handle = client.lookup(FileSpec.path(file.path()));
        Attributes attributes = client.getAttributes(handle);
        PrintWriter out = spec().commandLine().getOut();
        out.println(ListCommand.line(attributes, ZoidfsClient.readableText(file.path())));
        out.println("handle " + handle);
        out.println("file number " + attributes.fileid() + " of " + attributes.fsid());
        out.println("block size " + attributes.blocksize());
        out.println("accessed " + attributes.atime().toInstant());
        out.println("modified " + attributes.mtime().toInstant());
        out.println("changed " + attributes.ctime().toInstant());
    }
}
