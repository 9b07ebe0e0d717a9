package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

import org.jbmi.mempool.os.LockedFile;
import org.jbmi.zbmi.host.journal.JournalReader;
import org.jbmi.zbmi.host.journal.JournalRecord;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads records from a queue. */
final class ChronicleJournalReader implements JournalReader {
    private static final System.Logger LOG =
            System.getLogger(ChronicleJournalReader.class.getName());

    private final ChronicleQueue queue;
    private final ExcerptTailer tailer;
    private final boolean isKnownCut;
    private final Path lock;
    private final Runnable cleanUp;
    private boolean isOver;

    /**
     * Begins.
     *
     * @param queue owned by this
     * @param isKnownCut whether its file is shorter than it was
     * @param lock the file that the host has locked that writes the journal
     * @param cleanUp run at the close
     */
    ChronicleJournalReader(ChronicleQueue queue, boolean isKnownCut, Path lock, Runnable cleanUp) {
        this.queue = queue;
        this.tailer = queue.createTailer().toStart();
        this.isKnownCut = isKnownCut;
        this.lock = lock;
        this.cleanUp = cleanUp;
    }

    @Override
    public int read(JournalRecord into) {
        int result = isOver ? CUT_OFF : readNext(into);
        isOver = result == CUT_OFF;
        return result;
    }

    private int readNext(JournalRecord into) {
        try (DocumentContext document = tailer.readingDocument()) {
            Wire wire = document.isPresent() ? document.wire() : null;
            if (wire == null) {
                return isKnownCut ? CUT_OFF : NOTHING;
            }
            return RecordBytes.read(wire.bytes(), into) ? RECORD : CUT_OFF;
        } catch (RuntimeException | InternalError e) {
            LOG.log(System.Logger.Level.DEBUG, "reading a journal", e);
            return CUT_OFF;
        }
    }

    @Override
    public boolean isBeingWritten() {
        try {
            return LockedFile.isLocked(lock);
        } catch (NoSuchFileException e) {
            return false; // the journal has been copied without it
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "looking at the lock of a journal", e);
            return true;
        }
    }

    @Override
    public void close() {
        queue.close();
        cleanUp.run();
    }
}
