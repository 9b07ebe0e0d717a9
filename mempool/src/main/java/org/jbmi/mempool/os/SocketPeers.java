package org.jbmi.mempool.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds the process at the other end of a Unix-domain socket. The JDK gives the peer's user but not
 * its process, and does not give a socket's descriptor. So this class finds the descriptor by a
 * mark. The mark is an option that has no effect on a Unix-domain socket. The class sets it on the
 * channel, and looks for the descriptor that shows the option. It changes the mark once to be sure,
 * and then removes it.
 *
 * <p>The system gives a new socket the lowest free number. So sockets that connect one after
 * another have numbers one after another, and a search begins where the last one ended. A host to
 * which thousands connect checks a few descriptors for each, not all that it has.
 *
 * <p>An object is for one thread. Other threads may use objects of their own at the same time.
 */
public final class SocketPeers {
    /** The result of {@link #processOf} if the system does not give the process. */
    public static final long UNKNOWN = 0;

    private static final int OPTION_LINGER = 13;
    private static final int OPTION_PEER_CREDENTIALS = 17;
    private static final int FEW_DESCRIPTORS = 1 << 10;
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int FIRST_MARK = 10_000;
    private static final int END_OF_MARKS = 32_000;
    private static final int NONE = -1;

    /** How far around the last one found the search goes first. */
    private static final int NEAR = 64;

    private int lastFound;

    /** How many descriptors were looked at so far. */
    long checked;

    /** Has found nothing yet. */
    public SocketPeers() {}

    /**
     * The process that connected, or that was connected to, at the other end.
     *
     * @param channel a connected Unix-domain socket, which must stay open during the call
     * @return its process id as this process sees it; {@link #UNKNOWN} if it is in another process
     *     namespace, or if the system does not give it
     * @throws IOException if the channel is closed
     */
    public long processOf(SocketChannel channel) throws IOException {
        if (NativeAccess.unavailabilityReason().isPresent()) {
            return UNKNOWN;
        }
        try (Arena arena = Arena.ofConfined()) {
            Options options = new Options(arena.allocate(16, 8), arena.allocate(4, 4));
            int fd = descriptorOf(channel, options);
            return fd == NONE ? UNKNOWN : options.peerOf(fd);
        } finally {
            channel.setOption(StandardSocketOptions.SO_LINGER, -1);
        }
    }

    // If the socket is not near the last one, it is probably among the first numbers. Of larger
    // numbers only those of open descriptors are checked.
    private int descriptorOf(SocketChannel channel, Options options) throws IOException {
        int mark = ThreadLocalRandom.current().nextInt(FIRST_MARK, END_OF_MARKS);
        channel.setOption(StandardSocketOptions.SO_LINGER, mark);
        int found = descriptorIn(lastFound, lastFound + NEAR, channel, mark, options);
        if (found == NONE) {
            int start = Math.max(0, lastFound - NEAR);
            found = descriptorIn(start, lastFound, channel, mark, options);
        }
        if (found == NONE) {
            found = descriptorIn(0, FEW_DESCRIPTORS, channel, mark, options);
        }
        if (found == NONE) {
            found = descriptorOfMany(channel, mark, options);
        }
        lastFound = found == NONE ? lastFound : found;
        return found;
    }

    private int descriptorIn(int from, int end, SocketChannel channel, int mark, Options options)
            throws IOException {
        for (int fd = from; fd < end; fd++) {
            if (isOf(channel, fd, mark, options)) {
                return fd;
            }
        }
        return NONE;
    }

    private int descriptorOfMany(SocketChannel channel, int mark, Options options)
            throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path entry : all) {
                int fd = numberOf(entry);
                if (fd >= FEW_DESCRIPTORS && isOf(channel, fd, mark, options)) {
                    return fd;
                }
            }
            return NONE;
        } catch (NoSuchFileException | DirectoryIteratorException e) {
            return NONE;
        }
    }

    private static int numberOf(Path entry) {
        try {
            return Integer.parseInt(String.valueOf(entry.getFileName()));
        } catch (NumberFormatException e) {
            return NONE;
        }
    }

    // Another socket may have the first mark by chance, but not both.
    private boolean isOf(SocketChannel channel, int fd, int mark, Options options)
            throws IOException {
        checked++;
        if (options.lingerOf(fd) != mark) {
            return false;
        }
        channel.setOption(StandardSocketOptions.SO_LINGER, mark - 1);
        boolean isIt = options.lingerOf(fd) == mark - 1;
        channel.setOption(StandardSocketOptions.SO_LINGER, mark);
        return isIt;
    }

    /** Reads options into memory that it reuses. */
    private record Options(MemorySegment value, MemorySegment length) {
        /** A flag and a number of seconds; {@link #NONE} if the flag is not set. */
        int lingerOf(int fd) {
            return read(fd, OPTION_LINGER, 8) && value.get(ValueLayout.JAVA_INT, 0) != 0
                    ? value.get(ValueLayout.JAVA_INT, 4)
                    : NONE;
        }

        /** A process, a user and a group. */
        long peerOf(int fd) {
            return read(fd, OPTION_PEER_CREDENTIALS, 12)
                    ? Math.max(UNKNOWN, value.get(ValueLayout.JAVA_INT, 0))
                    : UNKNOWN;
        }

        private boolean read(int fd, int option, int bytes) {
            length.set(ValueLayout.JAVA_INT, 0, bytes);
            return NativeAccess.socketOption(fd, option, value, length)
                    && length.get(ValueLayout.JAVA_INT, 0) == bytes;
        }
    }
}
