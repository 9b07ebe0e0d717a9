package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.core.io.Closeable;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

import org.jbmi.mempool.os.LockedFile;
import org.jbmi.zbmi.host.journal.EngineJournal;
import org.jbmi.zbmi.host.journal.JournalProvider;
import org.jbmi.zbmi.host.journal.JournalReader;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Stores journals in Chronicle Queues, one file a day. */
public final class ChronicleJournalProvider implements JournalProvider {
    private static final int BLOCK_BYTES = 16 << 20;
    private static final String DATA = ".cq4";

    /** A file that the host locks that writes the journal: the first data file comes later. */
    private static final String BEGUN = "begun";

    /** For {@link java.util.ServiceLoader}. */
    public ChronicleJournalProvider() {}

    @Override
    public Optional<String> unavailabilityReason() {
        return ChronicleFlags.missing();
    }

    private static SingleChronicleQueueBuilder queue(Path folder) {
        ChronicleFlags.beQuiet();
        return ChronicleQueue.singleBuilder(folder)
                .rollCycle(RollCycles.FAST_DAILY)
                .blockSize(BLOCK_BYTES);
    }

    @Override
    public Optional<String> obstacle(Path folder) throws IOException {
        Path there = folder.toAbsolutePath();
        while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS) && there.getParent() != null) {
            there = there.getParent();
        }
        if (!Files.isDirectory(there)) {
            return Optional.of(there + " is in the way");
        }
        if (!Files.isWritable(there)) {
            return Optional.of("this user may not make files in " + there);
        }
        if (!Files.exists(folder)) {
            return Optional.empty();
        }
        if (!OwnerOnly.isPrivate(folder)) {
            return Optional.of(
                    "users other than its owner have access to " + folder + "; it must be 0700");
        }
        return dataFiles(folder).isEmpty() ? Optional.empty() : Optional.of(isTaken(folder));
    }

    private static String isTaken(Path folder) {
        return "there is a journal in " + folder + " already";
    }

    @Override
    public EngineJournal create(Path folder) throws IOException {
        Optional<String> obstacle = obstacle(folder);
        if (obstacle.isPresent()) {
            throw new IOException(obstacle.get());
        }
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, OwnerOnly.FOLDER);
        }
        LockedFile lock = lock(folder.resolve(BEGUN));
        ChronicleQueue queue = null;
        EngineJournal journal = null;
        try {
            if (lock == null || !dataFiles(folder).isEmpty()) {
                throw new IOException(isTaken(folder));
            }
            queue = queue(folder).storeFileListener(new OwnerOnly()).build();
            OwnerOnly.restrictFiles(folder);
            journal = new ChronicleJournal(queue, lock);
            return journal;
        } catch (RuntimeException | LinkageError | InternalError | AssertionError e) {
            throw new IOException("no journal can be made in " + folder + ": " + e, e);
        } finally {
            if (journal == null) {
                Closeable.closeQuietly(queue, lock);
            }
        }
    }

    /** The system releases the lock when the host ends in any way. Null while another has it. */
    private static @Nullable LockedFile lock(Path file) throws IOException {
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // It is of another host, which may have died before its first record.
        }
        return LockedFile.tryLock(file);
    }

    private static List<Path> dataFiles(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException("there is no folder " + folder);
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(DATA)).sorted().toList();
        }
    }

    @Override
    public JournalReader open(Path folder) throws IOException {
        List<Path> data = dataFiles(folder);
        if (data.isEmpty()) {
            throw new IOException("there is no journal in " + folder);
        }
        CutJournal cut = CutJournal.of(folder, data);
        return cut == null
                ? reader(folder, folder, false, () -> {})
                : reader(folder, cut.copy(), true, cut::remove);
    }

    private static JournalReader reader(
            Path folder, Path readable, boolean isKnownCut, Runnable cleanUp) throws IOException {
        ChronicleQueue queue = null;
        JournalReader reader = null;
        try {
            queue = queue(readable).readOnly(true).build();
            reader = new ChronicleJournalReader(queue, isKnownCut, folder.resolve(BEGUN), cleanUp);
            return reader;
        } catch (RuntimeException | LinkageError | InternalError | AssertionError e) {
            throw new IOException("the journal in " + folder + " cannot be read: " + e, e);
        } finally {
            if (reader == null) {
                Closeable.closeQuietly(queue);
                cleanUp.run();
            }
        }
    }
}
