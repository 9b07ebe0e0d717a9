package org.jbmi.zoidfs.nio;

import org.jbmi.Bmi;
import org.jbmi.spi.HashMaps;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Files of zoidfs servers for {@code java.nio.file}, under the scheme {@code zoidfs}: {@code
 * zoidfs://HOST:PORT/PATH} by tcp, {@code zoidfs:ADDRESS/PATH} by any method.
 *
 * <pre>{@code
 * URI server = URI.create("zoidfs://127.0.0.1:3334/");
 * try (FileSystem files = FileSystems.newFileSystem(server, Map.of())) {
 *     Files.writeString(files.getPath("/hello"), "hello");
 * }
 * }</pre>
 *
 * <p>A new file system takes four settings. {@code "dialect"} is {@code "main"} or {@code "sfp"}.
 * {@code "timeoutMs"} is how long the server may be silent, and {@code "chunkBytes"} is the size of
 * the messages of a long transfer. {@code "bmi"} is a {@link Bmi} to use, which the caller closes
 * after the file system. Without {@code "bmi"} the file system opens and closes a {@link Bmi} of
 * its own.
 *
 * <p>There is one file system for each server at a time. Locks, maps and watches are not supported,
 * because the protocol has none. Safe for use by any thread.
 */
public final class ZoidfsFileSystemProvider extends FileSystemProvider {
    private static final Set<String> SETTINGS = Set.of("dialect", "timeoutMs", "chunkBytes", "bmi");

    private final Map<String, ZoidfsFileSystem> open = HashMaps.prepared(new HashMap<>());

    /** For the JDK. */
    public ZoidfsFileSystemProvider() {}

    @Override
    public String getScheme() {
        return ServerAddress.SCHEME;
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) throws IOException {
        String address = ServerAddress.of(uri).address();
        ClientOptions options = options(env);
        Bmi bmi = (Bmi) env.get("bmi");
        synchronized (open) {
            if (open.containsKey(address)) {
                throw new FileSystemAlreadyExistsException(address);
            }
            ZoidfsFileSystem made = ZoidfsFileSystem.open(this, address, bmi, options);
            open.put(address, made);
            return made;
        }
    }

    private static ClientOptions options(Map<String, ?> env) {
        ClientOptions options = ClientOptions.DEFAULT;
        for (Map.Entry<String, ?> entry : env.entrySet()) {
            String text = String.valueOf(entry.getValue());
            try {
                options =
                        switch (entry.getKey()) {
                            case "dialect" ->
                                    options.withDialect(
                                            Dialect.valueOf(text.toUpperCase(Locale.ROOT)));
                            case "timeoutMs" -> options.withTimeoutMs(Long.parseLong(text));
                            case "chunkBytes" -> options.withChunkBytes(Long.parseLong(text));
                            case "bmi" -> options;
                            default ->
                                    throw new IllegalArgumentException(
                                            "The settings of zoidfs are "
                                                    + SETTINGS.stream().sorted().toList());
                        };
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        entry.getKey()
                                + "="
                                + text
                                + " is not a setting of zoidfs: "
                                + e.getMessage(),
                        e);
            }
        }
        return options;
    }

    void forget(ZoidfsFileSystem closed) {
        synchronized (open) {
            open.remove(closed.address(), closed);
        }
    }

    private ZoidfsFileSystem known(String address) {
        synchronized (open) {
            ZoidfsFileSystem found = open.get(address);
            if (found == null) {
                throw new FileSystemNotFoundException(
                        "No file system of " + address + " is open: see FileSystems.newFileSystem");
            }
            return found;
        }
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return known(ServerAddress.of(uri).address());
    }

    @Override
    public Path getPath(URI uri) {
        ServerAddress parts = ServerAddress.of(uri);
        return known(parts.address()).getPath(parts.path());
    }

    private static ZoidfsClient client(ZoidfsPath path) {
        return path.getFileSystem().operations().client();
    }

    @Override
    public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        Set<OpenOption> all = Set.copyOf(Arrays.asList(options));
        if (all.contains(StandardOpenOption.WRITE) || all.contains(StandardOpenOption.APPEND)) {
            throw new UnsupportedOperationException("An input stream does not write");
        }
        return Channels.newInputStream(new CopiedReads(newByteChannel(path, all)));
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attrs)
            throws IOException {
        return newFileChannel(path, options, attrs);
    }

    @Override
    public FileChannel newFileChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attrs)
            throws IOException {
        return OpenMode.open(ZoidfsPath.cast(path), options, List.of(attrs));
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
            Path dir, DirectoryStream.Filter<? super Path> filter) throws IOException {
        return Entries.of(ZoidfsPath.cast(dir), filter);
    }

    @Override
    public void createDirectory(Path dir, FileAttribute<?>... attrs) throws IOException {
        ZoidfsPath path = ZoidfsPath.cast(dir);
        Operations.doing(
                dir,
                () -> client(path).makeDirectory(path.spec(), OpenMode.settable(List.of(attrs))));
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attrs)
            throws IOException {
        if (attrs.length > 0) {
            throw new UnsupportedOperationException("A link has no attributes to be given");
        }
        ZoidfsPath path = ZoidfsPath.cast(link);
        String text = ZoidfsClient.wireText(ZoidfsPath.cast(target).toString());
        Operations.doing(link, () -> client(path).symlink(text, path.spec()));
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        ZoidfsPath path = ZoidfsPath.cast(link);
        FileSpec other = ZoidfsPath.cast(existing).spec();
        Operations.doing(link, () -> client(path).link(other, path.spec()));
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        ZoidfsPath path = ZoidfsPath.cast(link);
        return path.getFileSystem().operations().readLink(path);
    }

    @Override
    public void delete(Path path) throws IOException {
        ZoidfsPath own = ZoidfsPath.cast(path);
        own.getFileSystem().operations().remove(own);
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        new Copying(ZoidfsPath.cast(source), ZoidfsPath.cast(target), options).copy();
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        new Copying(ZoidfsPath.cast(source), ZoidfsPath.cast(target), options).move();
    }

    @Override
    public boolean isSameFile(Path path, Path path2) throws IOException {
        if (path.equals(path2)) {
            return true;
        }
        if (!(path2 instanceof ZoidfsPath other)) {
            return false;
        }
        ZoidfsPath own = ZoidfsPath.cast(path);
        return own.getFileSystem() == other.getFileSystem()
                && own.getFileSystem().operations().isSame(own, other);
    }

    @Override
    public boolean isHidden(Path path) {
        Path name = path.getFileName();
        return name != null && name.toString().startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        ZoidfsPath own = ZoidfsPath.cast(path);
        own.getFileSystem().operations().find(own, true);
        return new ServerStore(own.getFileSystem().address());
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        ZoidfsPath own = ZoidfsPath.cast(path);
        own.getFileSystem().operations().check(own, modes);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        String name;
        if (type == BasicFileAttributeView.class) {
            name = "basic";
        } else if (type == PosixFileAttributeView.class) {
            name = "posix";
        } else if (type == FileOwnerAttributeView.class) {
            name = "owner";
        } else {
            return null;
        }
        return type.cast(new FileView(name, ZoidfsPath.cast(path), FileView.followsLinks(options)));
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        if (type != BasicFileAttributes.class && type != PosixFileAttributes.class) {
            throw new UnsupportedOperationException("There are no " + type.getName() + " here");
        }
        ZoidfsPath own = ZoidfsPath.cast(path);
        return type.cast(
                own.getFileSystem().operations().facts(own, FileView.followsLinks(options)));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
            throws IOException {
        return NamedAttributes.read(
                ZoidfsPath.cast(path), FileView.followsLinks(options), attributes);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
            throws IOException {
        NamedAttributes.set(
                ZoidfsPath.cast(path), FileView.followsLinks(options), attribute, value);
    }
}
