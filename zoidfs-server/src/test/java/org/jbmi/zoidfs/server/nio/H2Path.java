package org.jbmi.zoidfs.server.nio;

import org.h2.message.DbException;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.disk.FilePathDisk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Leads H2 to a {@link FileSystem}: H2's own {@link FilePathDisk} knows that of this host alone.
 * Each method is one of {@link Files}.
 */
final class H2Path extends FilePath {
    static final String SCHEME = "served";
    private static final String PREFIX = SCHEME + ":";

    private final FileSystem files;

    H2Path(FileSystem files, String name) {
        this.files = files;
        this.name = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
    }

    /** Something that may fail. */
    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> T trying(Work<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw DbException.convertIOException(e, name);
        }
    }

    private Path path() {
        return files.getPath(name);
    }

    private H2Path of(Path path) {
        return new H2Path(files, path.toString());
    }

    @Override
    public String toString() {
        return PREFIX + name;
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FilePath getPath(String path) {
        return new H2Path(files, path);
    }

    @Override
    public long size() {
        return trying(() -> Files.size(path()));
    }

    @Override
    public void moveTo(FilePath newName, boolean atomicReplace) {
        Path target = files.getPath(newName.name);
        trying(
                () ->
                        atomicReplace
                                ? Files.move(path(), target, StandardCopyOption.ATOMIC_MOVE)
                                : Files.move(path(), target));
    }

    @Override
    public boolean createFile() {
        return trying(
                () -> {
                    try {
                        Files.createFile(path());
                        return true;
                    } catch (FileAlreadyExistsException e) {
                        return false;
                    }
                });
    }

    @Override
    public boolean exists() {
        return Files.exists(path());
    }

    @Override
    public void delete() {
        trying(() -> Files.deleteIfExists(path()));
    }

    @Override
    public List<FilePath> newDirectoryStream() {
        return trying(
                () -> {
                    try (var entries = Files.list(path())) {
                        return new ArrayList<>(entries.map(this::of).toList());
                    }
                });
    }

    @Override
    public FilePath toRealPath() {
        return of(path().toAbsolutePath().normalize());
    }

    @Override
    public FilePath getParent() {
        Path parent = path().getParent();
        return parent == null ? null : of(parent);
    }

    @Override
    public boolean isDirectory() {
        return Files.isDirectory(path());
    }

    @Override
    public boolean isRegularFile() {
        return Files.isRegularFile(path());
    }

    @Override
    public boolean isAbsolute() {
        return path().isAbsolute();
    }

    @Override
    public long lastModified() {
        return trying(() -> Files.getLastModifiedTime(path()).toMillis());
    }

    @Override
    public boolean canWrite() {
        return Files.isWritable(path());
    }

    @Override
    public boolean setReadOnly() {
        return false;
    }

    @Override
    public void createDirectory() {
        trying(() -> Files.createDirectory(path()));
    }

    @Override
    public FileChannel open(String mode) throws IOException {
        Set<OpenOption> options =
                mode.equals("r")
                        ? Set.of(StandardOpenOption.READ)
                        : Set.of(
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.CREATE);
        return new H2Channel(FileChannel.open(path(), options));
    }
}
