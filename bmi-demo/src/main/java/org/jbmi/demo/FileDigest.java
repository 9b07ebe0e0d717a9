package org.jbmi.demo;

import org.jbmi.demo.worker.ClientRole;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;

/** The digest that every copy of the file must have. */
final class FileDigest {
    private static final int BUFFER_BYTES = 256 << 10;

    private FileDigest() {}

    /**
     * Computes SHA-256 of the beginning of a file.
     *
     * @throws IOException if the file cannot be read or is shorter
     */
    static String sha256(Path file, long sizeBytes) throws IOException {
        MessageDigest digest = ClientRole.sha256();
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (long left = sizeBytes; left > 0; ) {
                buffer.clear().limit((int) Math.min(left, BUFFER_BYTES));
                int read = channel.read(buffer);
                if (read < 0) {
                    throw new EOFException(file + " became shorter while it was read");
                }
                digest.update(buffer.flip());
                left -= read;
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
