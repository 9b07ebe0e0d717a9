package org.jbmi.zoidfs.nio;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;

/** The files of one server. After a close, operations on open files fail. */
final class ZoidfsFileSystem extends FileSystem {
    static final Set<String> VIEWS = Set.of("basic", "owner", "posix", "unix");

    private final ZoidfsFileSystemProvider provider;
    private final String address;
    private final @Nullable Bmi ownBmi;
    private final ZoidfsClient client;
    private final Operations operations;

    private ZoidfsFileSystem(
            ZoidfsFileSystemProvider provider,
            String address,
            @Nullable Bmi ownBmi,
            ZoidfsClient client) {
        this.provider = provider;
        this.address = address;
        this.ownBmi = ownBmi;
        this.client = client;
        this.operations = new Operations(client);
    }

    /** Opens one, with a BMI instance of its own or with the caller's. */
    static ZoidfsFileSystem open(
            ZoidfsFileSystemProvider provider,
            String address,
            @Nullable Bmi given,
            ClientOptions options)
            throws IOException {
        Bmi bmi = given == null ? Bmi.open() : given;
        Bmi own = given == null ? bmi : null;
        try {
            ZoidfsClient client = ZoidfsClient.connect(bmi, address, options);
            return new ZoidfsFileSystem(provider, address, own, client);
        } catch (BmiException e) {
            if (own != null) {
                own.close();
            }
            throw new IOException(address + " cannot be reached: " + e.getMessage(), e);
        }
    }

    String address() {
        return address;
    }

    Operations operations() {
        return operations;
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {
        if (!client.isClosed()) {
            provider.forget(this);
            client.close();
            if (ownBmi != null) {
                ownBmi.close();
            }
        }
    }

    @Override
    public boolean isOpen() {
        return !client.isClosed();
    }

    /** Returns false: a server says only at a change that its export is read-only. */
    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    ZoidfsPath root() {
        return ZoidfsPath.of(this, "/");
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(root());
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(new ServerStore(address));
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return VIEWS;
    }

    @Override
    public ZoidfsPath getPath(String first, String... more) {
        StringBuilder text = new StringBuilder(first);
        for (String part : more) {
            if (!part.isEmpty()) {
                if (!text.isEmpty()) {
                    text.append('/');
                }
                text.append(part);
            }
        }
        return ZoidfsPath.of(this, text.toString());
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        // The JDK's matcher looks only at the text of a path. It takes a path of any file system.
        return FileSystems.getDefault().getPathMatcher(syntaxAndPattern);
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return new UserPrincipalLookupService() {
            @Override
            public UserPrincipal lookupPrincipalByName(String name) throws IOException {
                return principal(name);
            }

            @Override
            public GroupPrincipal lookupPrincipalByGroupName(String group) throws IOException {
                return principal(group);
            }
        };
    }

    private static FileFacts.Principal principal(String number) throws IOException {
        try {
            return new FileFacts.Principal(Integer.parseUnsignedInt(number));
        } catch (NumberFormatException e) {
            throw new UserPrincipalNotFoundException(number);
        }
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("A zoidfs server does not report changes");
    }
}
