package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.zbmi.attach.FileFailure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A new file of a runtime directory that its maker and others map. All of its blocks are reserved
 * before it is mapped. So a store into it does not fault when the file system becomes full later.
 *
 * @param file its name and its identity
 * @param memory zeros, mapped as long as it is referenced
 */
record ReservedFile(OwnFile file, MemorySegment memory) {

    /**
     * Creates the file, for this user alone, in place of one with the same name.
     *
     * @param what it is, after "the"
     * @throws BmiException with {@link ErrorCode#ENOSPC} if it does not fit, {@link ErrorCode#EIO}
     *     if it cannot be made; nothing is left behind
     */
    static ReservedFile create(Path path, long sizeBytes, String what) {
        boolean isMade = false;
        try {
            Files.deleteIfExists(path);
            try (FileChannel channel = createNew(path)) {
                reserve(path, sizeBytes, what);
                MemorySegment memory =
                        channel.map(FileChannel.MapMode.READ_WRITE, 0, sizeBytes, Arena.ofAuto());
                ReservedFile made = new ReservedFile(OwnFile.of(path), memory);
                isMade = true;
                return made;
            } finally {
                if (!isMade) {
                    Files.deleteIfExists(path);
                }
            }
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO,
                    "Cannot make the %s %s: %s.".formatted(what, path, FileFailure.reason(e)),
                    e);
        }
    }

    private static FileChannel createNew(Path path) throws IOException {
        return FileChannel.open(
                path,
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    private static void reserve(Path path, long sizeBytes, String what) {
        int errno = NativeAccess.reserve(path, sizeBytes);
        if (errno != 0) {
            boolean isFull = errno == Errno.ENOSPC || errno == Errno.EFBIG || errno == Errno.EDQUOT;
            throw new BmiException(
                    isFull ? ErrorCode.ENOSPC : ErrorCode.EIO,
                    "Cannot reserve %d bytes for the %s %s: %s."
                            .formatted(sizeBytes, what, path, Errno.describe(errno)));
        }
    }
}
