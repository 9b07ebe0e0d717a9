package org.jbmi.zoidfs.fuse;

import org.cryptomator.jfuse.api.Fuse;
import org.cryptomator.jfuse.api.FuseBuilder;
import org.cryptomator.jfuse.api.FuseMountFailedException;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;

/** A folder of this host in which the files of a server are, until it is closed. */
public final class ZoidfsMount implements AutoCloseable {
    private static final Path DEVICE = Path.of("/dev/fuse");

    /** The library without the link that only its development package has. */
    private static final List<Path> LIBRARIES =
            List.of(
                    Path.of("/lib/x86_64-linux-gnu/libfuse3.so.3"),
                    Path.of("/lib/aarch64-linux-gnu/libfuse3.so.3"),
                    Path.of("/usr/lib64/libfuse3.so.3"),
                    Path.of("/usr/lib/libfuse3.so.3"),
                    Path.of("/usr/lib64/libfuse3.so.4"),
                    Path.of("/usr/lib/libfuse3.so.4"));

    private final Fuse fuse;
    private final CountDownLatch ended;

    private ZoidfsMount(Fuse fuse, CountDownLatch ended) {
        this.fuse = fuse;
        this.ended = ended;
    }

    /**
     * Why nothing can be mounted here, as a sentence, or null if it can.
     *
     * @param library the file of libfuse3, or null to look in the usual places
     */
    public static @Nullable String whyNot(@Nullable Path library) {
        try (FileChannel device =
                FileChannel.open(DEVICE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (!device.isOpen()) {
                return DEVICE + " cannot be opened.";
            }
        } catch (IOException e) {
            return DEVICE + " cannot be opened (" + e + "), so nothing can be mounted here.";
        }
        if (findLibrary(library) == null) {
            return library == null
                    ? "libfuse3 is not installed (Debian: libfuse3-3), so nothing can be mounted."
                    : library + " is no file, so libfuse3 cannot be loaded.";
        }
        return null;
    }

    private static @Nullable Path findLibrary(@Nullable Path given) {
        List<Path> candidates = given == null ? LIBRARIES : List.of(given);
        return candidates.stream().filter(Files::isRegularFile).findFirst().orElse(null);
    }

    /**
     * Mounts the files of a server.
     *
     * @param client of the server; stays the caller's, who closes it after the mount
     * @param folder an empty folder
     * @param options how
     * @return the mount
     * @throws IOException with a sentence if it cannot be mounted
     */
    public static ZoidfsMount mount(ZoidfsClient client, Path folder, MountOptions options)
            throws IOException {
        String reason = whyNot(options.library());
        Path library = findLibrary(options.library());
        if (reason != null || library == null) {
            throw new IOException(reason);
        }
        checkFolder(folder);
        // A server that is not there is told of now, and not by each program that looks.
        client.ping();
        CountDownLatch ended = new CountDownLatch(1);
        Fuse fuse;
        try {
            FuseBuilder builder = Fuse.builder();
            builder.setLibraryPath(library.toAbsolutePath().toString());
            fuse = builder.build(new MountedFiles(client, builder.errno(), ended::countDown));
        } catch (UnsupportedOperationException | LinkageError e) {
            throw new IOException("libfuse3 cannot be used here: " + e.getMessage(), e);
        }
        try {
            fuse.mount("zoidfs", folder.toAbsolutePath(), flags(options));
        } catch (FuseMountFailedException | IllegalArgumentException e) {
            close(fuse);
            throw new IOException(folder + " cannot be mounted: " + e.getMessage(), e);
        }
        return new ZoidfsMount(fuse, ended);
    }

    private static void checkFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException(folder + " is no folder: nothing can be mounted there.");
        }
        try (var entries = Files.list(folder)) {
            if (entries.findAny().isPresent()) {
                throw new IOException(folder + " is not empty: a mount would hide what is there.");
            }
        }
    }

    private static String[] flags(MountOptions options) {
        List<String> flags = new ArrayList<>(List.of("-ofsname=zoidfs", "-osubtype=zoidfs"));
        if (options.readOnly()) {
            flags.add("-oro");
        }
        if (options.forAll()) {
            flags.add("-oallow_other");
            flags.add("-odefault_permissions"); // the system checks the modes, nobody else does
        }
        return flags.toArray(String[]::new);
    }

    /** Waits until it is unmounted, by {@code umount} for example. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    private static void close(Fuse fuse) {
        try {
            fuse.close();
        } catch (TimeoutException e) {
            System.getLogger("org.jbmi.zoidfs.fuse")
                    .log(System.Logger.Level.ERROR, "The mount did not end in time", e);
        }
    }

    /** Unmounts it. */
    @Override
    public void close() {
        close(fuse);
    }
}
