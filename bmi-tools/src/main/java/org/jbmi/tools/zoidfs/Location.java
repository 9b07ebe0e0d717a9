package org.jbmi.tools.zoidfs;

import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zoidfs.client.ZoidfsClient;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;

/**
 * A file of a server.
 *
 * @param address the server's
 * @param path from the root of its export, in the form of the wire
 */
record Location(String address, String path) {
    private static final String SEPARATOR = "://";

    /** What the JDK gives for each byte of the command line that is not in its encoding. */
    private static final char REPLACEMENT = '\ufffd';

    /** Whether a text names a file of a server, and not a local one. */
    static boolean isRemote(String text) {
        return text.contains(SEPARATOR);
    }

    /** Whether a text is the address of a server, without a path behind it. */
    static boolean isServer(String text) {
        int scheme = text.indexOf(SEPARATOR);
        return scheme > 0 && text.indexOf('/', scheme + SEPARATOR.length()) < 0;
    }

    /**
     * Reads {@code tcp://HOST:PORT/PATH} or {@code zoid:///PATH}.
     *
     * @throws ToolException also for a text of which the JDK has replaced bytes, or with half of a
     *     surrogate pair: a copy to it would replace another file
     */
    static Location of(String text) throws ToolException {
        if (text.indexOf(REPLACEMENT) >= 0
                || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            String reason = "The language of this process has not all of its characters";
            throw new ToolException(Sentences.of(new InvalidPathException(text, reason)));
        }
        int scheme = text.indexOf(SEPARATOR);
        if (scheme < 1) {
            throw new ToolException(
                    '"'
                            + text
                            + "\" is not a location, which looks like tcp://HOST:PORT/PATH or"
                            + " zoid:///PATH.");
        }
        int slash = text.indexOf('/', scheme + SEPARATOR.length());
        String address = slash < 0 ? text : text.substring(0, slash);
        String path = slash < 0 ? "/" : text.substring(slash);
        return new Location(address, ZoidfsClient.wireText(path));
    }

    /** The directory that contains it, in the form of a command line. */
    String folder() {
        int slash = path.lastIndexOf('/', Math.max(0, path.length() - 2));
        return address + ZoidfsClient.readableText(path.substring(0, slash + 1));
    }

    @Override
    public String toString() {
        return address + ZoidfsClient.readableText(path);
    }
}
