package org.jbmi.zoidfs.server.config;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;

/** The key by which a server tells its handles from forged ones. Its text does not show it. */
public final class ExportKey {
    private static final int SIZE_BYTES = 32;

    private final byte[] bytes;

    private ExportKey(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A key that ends with this process, and its handles with it. */
    public static ExportKey random() {
        byte[] bytes = new byte[SIZE_BYTES];
        new SecureRandom().nextBytes(bytes);
        return new ExportKey(bytes);
    }

    /**
     * The key in a file, which is made if it is not there, readable by its owner only.
     *
     * @throws IOException if it cannot be read or made, is not a key, or others may read it
     */
    public static ExportKey inFile(Path file) throws IOException {
        Set<PosixFilePermission> owner = PosixFilePermissions.fromString("rw-------");
        // The folder of a key that is there may be full, or read-only.
        if (!Files.exists(file)) {
            make(file, owner);
        }
        if (!owner.containsAll(Files.getPosixFilePermissions(file))) {
            throw new IOException(file + " may be read by others: remove it, or mend its mode.");
        }
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length != SIZE_BYTES) {
            throw new IOException(file + " is not a key of 32 bytes: remove it.");
        }
        return new ExportKey(bytes);
    }

    private static void make(Path file, Set<PosixFilePermission> owner) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        try {
            Path made =
                    Files.createTempFile(
                            folder, "key", ".new", PosixFilePermissions.asFileAttribute(owner));
            try {
                Files.write(made, random().bytes, StandardOpenOption.TRUNCATE_EXISTING);
                // A link fails where the key is there already, whoever made it.
                Files.createLink(file, made);
            } finally {
                Files.delete(made);
            }
        } catch (FileAlreadyExistsException e) {
            // Another server made it meanwhile.
        }
    }

    /** A copy of it. */
    public byte[] bytes() {
        return bytes.clone();
    }
}
