package org.jbmi.zbmi.channel.chronicle;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * A journal whose file has lost its end, say in a full file system or while it was copied. The
 * library cannot open it as it is, so a copy is, filled up with zeros: they are no record.
 *
 * @param copy a temporary folder
 */
record CutJournal(Path copy) {
    /** Of this size or a multiple is every file that the library wrote. */
    private static final int PAGE_BYTES = 4096;

    private static final int FILL_BYTES = 16 << 20;

    /** A copy of a journal that was cut off; null if it is as it was written. */
    static @Nullable CutJournal of(Path folder, List<Path> data) throws IOException {
        boolean isCut = false;
        for (Path file : data) {
            long bytes = Files.size(file);
            isCut |= bytes == 0 || bytes % PAGE_BYTES != 0;
        }
        if (!isCut) {
            return null;
        }
        String prefix = "zbmi-journal-" + ProcessHandle.current().pid() + "-";
        CutJournal journal = new CutJournal(Files.createTempDirectory(prefix));
        boolean isCopied = false;
        try {
            journal.fill(folder, data);
            isCopied = true;
            return journal;
        } finally {
            if (!isCopied) {
                journal.remove();
            }
        }
    }

    private void fill(Path folder, List<Path> data) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Path name = file.getFileName();
                if (name != null && Files.isRegularFile(file)) {
                    Files.copy(file, copy.resolve(name));
                }
            }
        }
        for (Path file : data) {
            Path name = file.getFileName();
            if (name != null) {
                lengthen(copy.resolve(name));
            }
        }
    }

    private static void lengthen(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            long wanted = (channel.size() / FILL_BYTES + 2) * FILL_BYTES;
            channel.write(ByteBuffer.allocate(1), wanted - 1);
        }
    }

    void remove() {
        try (Stream<Path> files = Files.list(copy)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(copy);
        } catch (IOException e) {
            System.getLogger(CutJournal.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove " + copy, e);
        }
    }
}
