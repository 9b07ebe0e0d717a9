package org.jbmi.zoidfs.fuse;

import org.cryptomator.jfuse.api.Fuse;
import org.cryptomator.jfuse.api.FuseBuilder;
import org.cryptomator.jfuse.api.FuseMountFailedException;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;

/** A mount: a folder of this host with the files of a server, until the close. */
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
     * Says why this host cannot mount, as a sentence; null if it can.
     *
     * @param library the file of libfuse3, or null to look in the usual places
     */
    public static @Nullable String whyNot(@Nullable Path library) {
        return whyNot(DEVICE, LIBRARIES, library);
    }

    /** The same with another device and other usual places. */
    static @Nullable String whyNot(Path device, List<Path> usual, @Nullable Path library) {
        String reason = "it does not open";
        try (FileChannel opened =
                FileChannel.open(device, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (opened.isOpen()) {
                reason = "";
            }
        } catch (NoSuchFileException e) {
            reason = "it is not there";
        } catch (AccessDeniedException e) {
            reason = "access is denied";
        } catch (IOException e) {
            reason = e.toString();
        }
        if (!reason.isEmpty()) {
            return device
                    + " cannot be opened ("
                    + reason
                    + "), so nothing can be mounted here. 'modprobe fuse' makes it; a container"
                    + " must be given it.";
        }
        if (findLibrary(usual, library) == null) {
            return library == null
                    ? "libfuse3 is in none of the usual places, so nothing can be mounted. Install"
                            + " it (Debian: libfuse3-3), or name its file with --libfuse."
                    : library
                            + " is no file, so libfuse3 cannot be loaded. --libfuse takes the path"
                            + " of libfuse3.so.3.";
        }
        return null;
    }

    private static @Nullable Path findLibrary(List<Path> usual, @Nullable Path given) {
        List<Path> candidates = given == null ? usual : List.of(given);
        return candidates.stream().filter(Files::isRegularFile).findFirst().orElse(null);
    }

    /**
     * Mounts the files of a server.
     *
     * @param client of the server; stays the caller's, who closes it after the mount
     * @param folder an empty folder
     * @param options how
     * @throws IOException with a sentence if it cannot be mounted
     */
    public static ZoidfsMount mount(ZoidfsClient client, Path folder, MountOptions options)
            throws IOException {
        String reason = whyNot(options.library());
        Path library = findLibrary(LIBRARIES, options.library());
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
            throw new IOException(
                    library + " cannot be used here as libfuse3: " + e.getMessage(), e);
        }
        try {
            fuse.mount("zoidfs", folder.toAbsolutePath(), flags(options));
        } catch (FuseMountFailedException | IllegalArgumentException e) {
            close(fuse);
            throw new IOException(
                    "Nothing can be mounted at "
                            + folder
                            + ": "
                            + e.getMessage()
                            + ". Who is not root needs fusermount3 (Debian: fuse3).",
                    e);
        }
        return new ZoidfsMount(fuse, ended);
    }

    private static void checkFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException(
                    folder + " is no folder, so nothing can be mounted there: make it first.");
        }
        try (var entries = Files.list(folder)) {
            if (entries.findAny().isPresent()) {
                throw new IOException(
                        folder
                                + " is not empty, and a mount would hide what is there: give"
                                + " another folder.");
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
            flags.add("-odefault_permissions"); // lets the kernel check the modes of files
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
