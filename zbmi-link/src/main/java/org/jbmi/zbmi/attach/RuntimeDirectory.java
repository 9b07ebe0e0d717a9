package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Knob;
import org.jbmi.mempool.os.NativeAccess;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * The directory where a host and its peers meet: one of a user's own, with mode 0700. It says which
 * host the address {@code zoid://} means. The names of the files say "daemon", but an embedded
 * server uses the same ones.
 *
 * <pre>
 *   daemon.sock   the Unix-domain socket on which the host listens for its peers
 *   daemon.lock   locked by the host, a daemon or a server, as long as it lives
 *   daemon.pid    the host's process id, for people and for messages
 *   counters      the host's counters, mapped by programs that read them
 *   errors        the host's distinct errors, likewise
 *   server.sock       where clients meet a server that hosts the engine in memory of the daemon
 *   server.counters   the counters of such a server
 *   server.errors     its distinct errors
 * </pre>
 */
public record RuntimeDirectory(Path path) {
    /**
     * The longest path that a Unix-domain socket may have here: systems allow 104 bytes or a few
     * more.
     */
    public static final int MAX_SOCKET_PATH_BYTES = 100;

    /** Which host is meant; read by the host and by its peers. */
    public static final Knob<String> KNOB =
            Knob.path(
                    "zoid.runtimeDirectory",
                    () -> defaultPath(System.getenv("XDG_RUNTIME_DIR")),
                    "Directory where daemon, server and clients find each other;"
                            + " only its user may have access.");

    private static final int GROUP_AND_OTHERS = 0_077;

    /**
     * The default. A relative directory would be another one for each current folder, so host and
     * peers would not meet. The XDG specification says to ignore it.
     *
     * @param runtimeDirectory the user's, as the environment names it; null for none
     */
    static String defaultPath(@Nullable String runtimeDirectory) {
        String base = runtimeDirectory;
        if (base == null || !base.startsWith("/")) {
            base = System.getProperty("java.io.tmpdir", "/tmp");
        }
        return Path.of(base, "zbmi-" + System.getProperty("user.name", "user")).toString();
    }

    /**
     * The socket.
     *
     * @return its path, which is short enough after {@link #checkLength}
     */
    public Path socket() {
        return path.resolve("daemon.sock");
    }

    /** The socket of a server that hosts the engine, in memory that the daemon lends. */
    public Path serverSocket() {
        return path.resolve("server.sock");
    }

    /** The counters of such a server. */
    public Path serverCounters() {
        return path.resolve("server.counters");
    }

    /** The distinct errors of such a server. */
    public Path serverErrors() {
        return path.resolve("server.errors");
    }

    /** The lock file. */
    public Path lock() {
        return path.resolve("daemon.lock");
    }

    /** The file that names the host's process. */
    public Path pid() {
        return path.resolve("daemon.pid");
    }

    /** The counters file. */
    public Path counters() {
        return path.resolve("counters");
    }

    /** The file of distinct errors. */
    public Path errors() {
        return path.resolve("errors");
    }

    /**
     * Makes the directory if it is not there, and checks it as {@link #check} does.
     *
     * @throws BmiException if it cannot be made or is not to be trusted
     */
    public void prepare() {
        checkLength();
        try {
            Path parent = path.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.createDirectory(
                    path,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            if (!check()) { // a file has the name of a directory above it
                throw notMade(e);
            }
            return;
        } catch (IOException | UnsupportedOperationException e) {
            throw notMade(e);
        }
        check();
    }

    private BmiException notMade(Exception why) {
        Path parent = path.getParent();
        boolean isRefused = // as in /proc, whose answer is that the new folder is not there
                why instanceof NoSuchFileException && parent != null && Files.isDirectory(parent);
        return new BmiException(
                ErrorCode.EIO,
                "Cannot make the runtime directory %s: %s."
                        .formatted(
                                path,
                                isRefused
                                        ? parent + " takes no new folder"
                                        : FileFailure.reason(why)),
                why);
    }

    /**
     * Checks that the directory is this user's and closed to others.
     *
     * @return false if there is none
     * @throws BmiException with {@link ErrorCode#EACCES} if another user could write to it
     */
    public boolean check() {
        checkLength();
        Map<String, Object> attributes;
        try {
            attributes =
                    Files.readAttributes(
                            path, "unix:isDirectory,uid,mode", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException | UnsupportedOperationException e) {
            throw new BmiException(
                    ErrorCode.EIO,
                    "Cannot look at the runtime directory %s: %s."
                            .formatted(path, FileFailure.reason(e)),
                    e);
        }
        if (!Boolean.TRUE.equals(attributes.get("isDirectory"))) {
            throw distrusted("it is not a directory");
        }
        if (!(attributes.get("uid") instanceof Integer uid)
                || uid != NativeAccess.effectiveUserId()) {
            throw distrusted("it belongs to another user");
        }
        if (!(attributes.get("mode") instanceof Integer mode) || (mode & GROUP_AND_OTHERS) != 0) {
            throw distrusted("users other than its owner have access to it; make it mode 0700");
        }
        return true;
    }

    /**
     * Checks that the socket's path fits into a socket address, also the absolute one to which a
     * daemon redirects clients.
     *
     * @throws BmiException with {@link ErrorCode#ENAMETOOLONG} if it does not
     */
    public void checkLength() {
        Path absolute = socket().toAbsolutePath(); // as long as that of the server's socket
        int length = absolute.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_SOCKET_PATH_BYTES) {
            throw new BmiException(
                    ErrorCode.ENAMETOOLONG,
                    "The socket path %s has %d bytes, and the system allows %d: set %s to a shorter path."
                            .formatted(absolute, length, MAX_SOCKET_PATH_BYTES, KNOB.name()));
        }
    }

    private BmiException distrusted(String why) {
        return new BmiException(
                ErrorCode.EACCES, "The runtime directory " + path + " is not safe: " + why + ".");
    }
}
