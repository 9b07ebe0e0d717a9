package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.zbmi.attach.FileFailure;
import org.jbmi.zbmi.protocol.handshake.Welcome;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Where the queues of one session lie: beside the segment, for its owner alone. Both sides compute
 * its name, and another host finds the segment's name in it. The daemon puts a file into the folder
 * before it tells the server to come; the file says whether the folder is to be kept. If there is
 * no such file, the session is over.
 *
 * @param files where it is
 * @param path of the folder
 */
record ChannelFolder(QueueFiles files, Path path) {
    private static final System.Logger LOG = System.getLogger(ChannelFolder.class.getName());
    private static final String PREFIX = "chronicle-";
    private static final String KEPT = "kept";
    private static final String PASSING = "passing";

    /** That of the session that a daemon offers. */
    static ChannelFolder of(QueueFiles files, Welcome welcome) {
        Path segment = Path.of(welcome.segmentPath());
        String session = Integer.toHexString(welcome.generation());
        return new ChannelFolder(files, segment.resolveSibling(prefix(segment) + session));
    }

    private static String prefix(Path segment) {
        return PREFIX + segment.getFileName() + "-";
    }

    /** From the server to the engine. */
    Path commands() {
        return path.resolve("commands");
    }

    /** From the engine to the server. */
    Path events() {
        return path.resolve("events");
    }

    /** Makes it; it must not be there. */
    void create(boolean isKept) throws IOException {
        files.createFolder(path);
        files.createFile(path.resolve(isKept ? KEPT : PASSING));
        files.createFolder(commands());
        files.createFolder(events());
    }

    /** Whether files that were read stay in it, and it stays itself. */
    boolean isKept() {
        return files.exists(path.resolve(KEPT));
    }

    /** The session is over. */
    void release() {
        if (!isKept()) {
            remove();
        }
    }

    /**
     * The server uses it no more. If the engine had finished with the folder earlier, the library
     * may have made it again, for an opened queue or the next file.
     */
    void leave() {
        if (!isKept() && !files.exists(path.resolve(PASSING))) {
            remove();
        }
    }

    private void remove() {
        try {
            files.remove(path);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove " + path, e);
        }
    }

    /**
     * Removes what sessions have left whose segment is gone.
     *
     * @param prefix with which the names of segments start
     */
    static void sweep(QueueFiles files, Path directory, String prefix) {
        try {
            for (Path path : files.list(directory)) {
                String segment = segmentOf(String.valueOf(path.getFileName()));
                if (segment.startsWith(prefix) && !files.exists(directory.resolve(segment))) {
                    new ChannelFolder(files, path).release();
                }
            }
        } catch (NoSuchFileException e) {
            // Nothing is left in it. The host says that there is no such directory.
        } catch (IOException e) {
            String why = FileFailure.reason(e);
            LOG.log(System.Logger.Level.WARNING, "cannot look into " + directory + ": " + why);
        }
    }

    /** Whose folder has that name; empty if it is no such folder. */
    private static String segmentOf(String folder) {
        int end = folder.lastIndexOf('-');
        return folder.startsWith(PREFIX) && end >= PREFIX.length()
                ? folder.substring(PREFIX.length(), end)
                : "";
    }
}
