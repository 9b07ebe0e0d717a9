package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** The command {@code zoidfs stat}. */
@Command(
        name = "stat",
        versionProvider = ToolVersion.class,
        description = {"Shows a file's attributes and its handle.", ""})
public final class StatCommand extends ClientCommand implements Callable<Integer> {
    @Parameters(paramLabel = "LOCATION", description = "For example tcp://host:3334/folder/file.")
    private String location;

    /** For picocli. */
    public StatCommand() {}

    @Override
    public Integer call() throws IOException, ToolException, InterruptedException {
        Location file = Location.of(location);
        on(file, client -> show(client, file));
        return 0;
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
        out.flush();
    }
}
