package org.jbmi.mempool.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Who is at the other end of a Unix-domain socket, as the system knows it. The JDK tells the peer's
 * user but not its process, and keeps a socket's descriptor to itself. So the descriptor is found
 * by a mark: an option that means nothing to a Unix-domain socket is set on the channel, and the
 * descriptor that shows it is the channel's. The mark is changed once to be sure, then removed.
 *
 * <p>Thread-safe and without state.
 */
public final class SocketPeers {
    /** What {@link #processOf} gives where the system does not say. */
    public static final long UNKNOWN = 0;

    private static final int OPTION_LINGER = 13;
    private static final int OPTION_PEER_CREDENTIALS = 17;
    private static final int MAX_DESCRIPTOR = 1 << 16;
    private static final int FIRST_MARK = 10_000;
    private static final int END_OF_MARKS = 32_000;
    private static final int NONE = -1;

    private SocketPeers() {}

    /**
     * The process that connected, or that was connected to, at the other end.
     *
     * @param channel a connected Unix-domain socket, which is not closed meanwhile
     * @return its process id as this process sees it; {@link #UNKNOWN} if it is in another process
     *     namespace, or if the system does not say
     * @throws IOException if the channel is closed
     */
    public static long processOf(SocketChannel channel) throws IOException {
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

    // Another socket may have the first mark by chance; none has both.
    private static int descriptorOf(SocketChannel channel, Options options) throws IOException {
        int mark = ThreadLocalRandom.current().nextInt(FIRST_MARK, END_OF_MARKS);
        for (int fd = 0; fd < MAX_DESCRIPTOR; fd++) {
            channel.setOption(StandardSocketOptions.SO_LINGER, mark);
            fd = firstWith(mark, fd, options);
            if (fd == NONE) {
                return NONE;
            }
            channel.setOption(StandardSocketOptions.SO_LINGER, mark - 1);
            if (options.lingerOf(fd) == mark - 1) {
                return fd;
            }
        }
        return NONE;
    }

    private static int firstWith(int mark, int from, Options options) {
        for (int fd = from; fd < MAX_DESCRIPTOR; fd++) {
            if (options.lingerOf(fd) == mark) {
                return fd;
            }
        }
        return NONE;
    }

    /** Reads options into memory that is used again and again. */
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
