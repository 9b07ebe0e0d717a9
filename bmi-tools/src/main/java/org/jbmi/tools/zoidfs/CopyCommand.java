package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The command {@code zoidfs cp}. */
@Command(
        name = "cp",
        versionProvider = ToolVersion.class,
        description = {
            "Copies a file from a server to this host, or from this host to a server.",
            "",
            "What is there already is replaced. A copy to a server is durable when the command"
                    + " ends with status 0.",
            ""
        })
public final class CopyCommand extends ClientCommand implements Callable<Integer> {
    private static final int PART_BYTES = 4 << 20;
    private static final int PARTS_AT_ONCE = 4;
    private static final int MODE = 0644;

    @Option(names = "--progress", description = "Say on standard error how far it is.")
    private boolean progress;

    @Parameters(index = "0", paramLabel = "FROM", description = "A file or a location.")
    private String from;

    @Parameters(index = "1", paramLabel = "TO", description = "A location or a file.")
    private String to;

    /** For picocli. */
    public CopyCommand() {}

    @Override
    public Integer call() throws IOException, ToolException, InterruptedException {
        if (Location.isRemote(from) == Location.isRemote(to)) {
            throw wrongUse("One of FROM and TO is a location such as tcp://host:3334/file");
        }
        if (Location.isRemote(from)) {
            Location file = Location.of(from);
            on(file, client -> fetch(client, file.path(), Path.of(to)));
        } else {
            Location file = Location.of(to);
            on(file, client -> bring(client, Path.of(from), file.path()));
        }
        return 0;
    }

    /** One part that is under way. */
    private record Part(CompletableFuture<Long> moved, MemorySegment memory, long offset) {
        long await() throws IOException, InterruptedException {
            try {
                return moved.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failure) {
                    throw failure;
                }
                throw new IOException(e.getCause());
            }
        }
    }

    private void fetch(ZoidfsClient client, String path, Path target)
            throws IOException, InterruptedException {
        FileHandle handle = client.lookup(FileSpec.path(path));
        long size = client.getAttributes(handle).size();
        try (FileChannel out =
                FileChannel.open(
                        target,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            Deque<Part> parts = new ArrayDeque<>();
            for (long offset = 0; offset < size || !parts.isEmpty(); ) {
                while (offset < size && parts.size() < PARTS_AT_ONCE) {
                    int length = (int) Math.min(PART_BYTES, size - offset);
                    MemorySegment memory = MemorySegment.ofArray(new byte[length]);
                    long at = offset;
                    parts.add(
                            new Part(
                                    client.submit(() -> client.read(handle, memory, at)),
                                    memory,
                                    at));
                    offset += length;
                }
                Part part = parts.remove();
                long read = part.await();
                write(out, part.memory().asSlice(0, read).asByteBuffer(), part.offset());
                say(part.offset() + read, size);
            }
        }
    }

    private static void write(FileChannel out, ByteBuffer bytes, long offset) throws IOException {
        long at = offset;
        while (bytes.hasRemaining()) {
            at += out.write(bytes, at);
        }
    }

    private void bring(ZoidfsClient client, Path source, String path)
            throws IOException, InterruptedException {
        try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ)) {
            long size = in.size();
            FileHandle handle =
                    client.create(FileSpec.path(path), SettableAttributes.ofMode(MODE)).handle();
            client.resize(handle, 0);
            Deque<Part> parts = new ArrayDeque<>();
            for (long offset = 0; offset < size || !parts.isEmpty(); ) {
                while (offset < size && parts.size() < PARTS_AT_ONCE) {
                    ByteBuffer bytes =
                            ByteBuffer.allocate((int) Math.min(PART_BYTES, size - offset));
                    int length = in.read(bytes, offset);
                    if (length <= 0) {
                        throw new IOException(source + " became shorter while it was copied.");
                    }
                    MemorySegment memory = MemorySegment.ofArray(bytes.array()).asSlice(0, length);
                    long at = offset;
                    parts.add(
                            new Part(
                                    client.submit(() -> client.write(handle, memory, at)),
                                    memory,
                                    at));
                    offset += length;
                }
                Part part = parts.remove();
                long written = part.await();
                if (written != part.memory().byteSize()) {
                    throw new IOException("The server wrote only a part of " + path + ".");
                }
                say(part.offset() + written, size);
            }
            client.commit(handle);
        }
    }

    private void say(long done, long size) {
        if (progress) {
            PrintWriter err = spec().commandLine().getErr();
            err.printf("%d of %d bytes%n", done, size);
            err.flush();
        }
    }
}
