package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.EndInOrder;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.fuse.MountOptions;
import org.jbmi.zoidfs.fuse.ZoidfsMount;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** The command {@code zoidfs mount}. */
@Command(
        name = "mount",
        versionProvider = ToolVersion.class,
        description = {
            "Shows the files of a server as a folder of this host, by FUSE.",
            "",
            "Prints 'mounted' and stays. SIGTERM, Ctrl-C and umount end it in order, with exit"
                    + " status 0. Needs /dev/fuse and libfuse3, and says which of them is"
                    + " missing. Users other than root need fusermount3 too.",
            ""
        })
public final class MountCommand extends ClientCommand implements Callable<Integer> {
    @Option(names = "--read-only", description = "Refuse all changes of files.")
    private boolean readOnly;

    @Option(names = "--all-users", description = "Let other users of this host use the mount too.")
    private boolean forAll;

    @Option(
            names = "--libfuse",
            paramLabel = "FILE",
            description = "The file of libfuse3, if it is not in a usual place.")
    private @Nullable Path library;

    @Parameters(index = "0", paramLabel = "ADDRESS", description = "For example tcp://host:3334.")
    private String address;

    @Parameters(index = "1", paramLabel = "DIR", description = "An empty folder of this host.")
    private Path folder;

    @Override
    public Integer call() throws IOException, ToolException, InterruptedException {
        Location server = location(address);
        if (!Location.isServer(address)) {
            throw wrongUse("ADDRESS has no path behind it: the whole export is mounted");
        }
        EndInOrder end = new EndInOrder();
        try {
            on(server, client -> mount(client, end));
        } finally {
            end.over();
        }
        return 0;
    }

    private void mount(ZoidfsClient client, EndInOrder end)
            throws IOException, ToolException, InterruptedException {
        MountOptions options = new MountOptions(readOnly, forAll, library);
        try (ZoidfsMount mount = ZoidfsMount.mount(client, folder, options)) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    mount.awaitEnd();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                                end.ask();
                            });
            end.listen();
            PrintWriter out = spec().commandLine().getOut();
            out.println("mounted " + address + " at " + folder);
            showReady(out);
            end.await();
        }
    }
}
