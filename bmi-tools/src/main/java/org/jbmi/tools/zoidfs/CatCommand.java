package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.Program;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoidfs.protocol.FileHandle;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Callable;

/** The command {@code zoidfs cat}. */
@Command(
        name = "cat",
        versionProvider = ToolVersion.class,
        description = {"Writes a file of a server to standard output.", ""})
public final class CatCommand extends ClientCommand implements Callable<Integer> {
    private static final int PART_BYTES = 4 << 20;

    @Parameters(paramLabel = "LOCATION", description = "For example tcp://host:3334/folder/file.")
    private String location;

    @Override
    public Integer call() throws IOException, ToolException, InterruptedException {
        Location file = location(location);
        on(
                file,
                client -> {
                    FileHandle handle = regularFile(client, file);
                    byte[] part = new byte[PART_BYTES];
                    PrintStream out = System.out;
                    long offset = 0;
                    int read;
                    do {
                        read = (int) client.read(handle, MemorySegment.ofArray(part), offset);
                        out.write(part, 0, read);
                        offset += read;
                        if (Program.isOutputLost()) {
                            throw new ToolException(
                                    "Standard output takes no more, so "
                                            + file
                                            + " is not shown whole");
                        }
                        // Nobody reads any more if there is an error all the same.
                    } while (read == part.length && !out.checkError());
                });
        return 0;
    }
}
