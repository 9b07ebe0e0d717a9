package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;

/** The command {@code zoidfs cp}. */
@Command(
        name = "cp",
        versionProvider = ToolVersion.class,
        description = {
            "Copies a file from a server to this host, or from this host to a server.",
            "",
            "The copy replaces an existing file. A copy to a server is on its disk when the"
                    + " command ends with status 0.",
            ""
        })
public final class CopyCommand extends ClientCommand implements Callable<Integer> {
    private static final int PART_BYTES = 4 << 20;
    private static final int PARTS_AT_ONCE = 4;
    private static final int MODE = 0644;

    @Option(names = "--progress", description = "Show the progress on standard error.")
    private boolean progress;

    @Parameters(index = "0", paramLabel = "FROM", description = "A file or a location.")
    private String from;

    @Parameters(index = "1", paramLabel = "TO", description = "A location or a file.")
    private String to;

    @Override
    public Integer call() throws IOException, ToolException, InterruptedException {
        if (from.isEmpty() || to.isEmpty()) {
            throw wrongUse("A path is not empty");
        }
        if (Location.isRemote(from) == Location.isRemote(to)) {
            throw wrongUse("One of FROM and TO is a location such as tcp://host:3334/file");
        }
        if (Location.isServer(to)) {
            throw wrongUse("TO has no path: give the name of the file, as in " + to + "/notes.txt");
        }
        if (Location.isRemote(from)) {
            Location file = location(from);
            on(file, client -> fetch(client, file, Path.of(to)));
        } else {
            Location file = location(to);
            on(file, client -> bring(client, Path.of(from), file));
        }
        return 0;
    }

    private FileShipping shipping(ZoidfsClient client, long size) {
        return new FileShipping(client, PART_BYTES, PARTS_AT_ONCE, done -> say(done, size));
    }

    private void fetch(ZoidfsClient client, Location source, Path target)
            throws IOException, ToolException, InterruptedException {
        if (Files.isDirectory(target)) {
            throw new ToolException(target + " is a directory: give the name of a file in it");
        }
        Path folder = target.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new ToolException(folder + " is not a directory of this host: make it first");
        }
        // Before the existing file is changed.
        FileHandle handle = regularFile(client, source);
        long size = client.getAttributes(handle).size();
        if (size == 0 && client.read(handle, MemorySegment.ofArray(new byte[1]), 0) > 0) {
            throw withoutLength(source);
        }
        // Is not emptied first: it may be the very file that the server reads.
        try (FileChannel out =
                FileChannel.open(target, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            shipping(client, size)
                    .fetch(
                            handle,
                            size,
                            (bytes, offset) -> naming(target, () -> write(out, bytes, offset)));
            naming(target, () -> out.truncate(size));
        } catch (EOFException e) {
            throw new ToolException(source + " became shorter while it was copied", e);
        }
    }

    private static ToolException withoutLength(Object file) {
        return new ToolException(
                file
                        + " says that it is empty and has contents, like the files of /proc: write"
                        + " its contents into another file, and copy that one");
    }

    private static void write(FileChannel out, ByteBuffer bytes, long offset) throws IOException {
        long at = offset;
        while (bytes.hasRemaining()) {
            at += out.write(bytes, at);
        }
    }

    /** An action on a local file, whose failures do not name the file. */
    private interface Action<E extends Exception> {
        void run() throws IOException, E;
    }

    private static <E extends Exception> void naming(Path file, Action<E> action)
            throws IOException, E {
        try {
            action.run();
        } catch (ZoidfsException | FileSystemException e) {
            throw e;
        } catch (IOException e) {
            FileSystemException named =
                    new FileSystemException(file.toString(), null, e.getMessage());
            named.initCause(e);
            throw named;
        }
    }

    private void bring(ZoidfsClient client, Path source, Location target)
            throws IOException, ToolException, InterruptedException {
        if (Files.isDirectory(source)) {
            throw new ToolException(source + " is a directory: one file is copied at a time");
        }
        if (Files.exists(source) && !Files.isRegularFile(source)) {
            throw notRegular(source);
        }
        if (target.path().endsWith("/")) {
            throw new ToolException(
                    target + " ends with a slash, as only directories do: give the name of a file");
        }
        try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ)) {
            long size = in.size();
            if (size == 0 && in.read(ByteBuffer.allocate(1)) > 0) {
                throw withoutLength(source);
            }
            ZoidfsClient.Created made =
                    client.create(FileSpec.path(target.path()), SettableAttributes.ofMode(MODE));
            FileHandle handle = made.handle();
            if (!made.isNew()) {
                checkRegular(client, handle, target);
            }
            // At last: it may be the very file that is read here.
            naming(source, () -> shipping(client, size).bring(in, size, handle));
            client.resize(handle, size);
            client.commit(handle);
        }
    }

    private void say(long done, long size) {
        if (progress) {
            spec().commandLine().getErr().printf("%d of %d bytes%n", done, size);
        }
    }
}
