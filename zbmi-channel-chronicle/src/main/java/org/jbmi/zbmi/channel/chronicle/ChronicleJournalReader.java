package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

import org.jbmi.zbmi.host.journal.JournalReader;
import org.jbmi.zbmi.host.journal.JournalRecord;

/** Reads records from a queue. */
final class ChronicleJournalReader implements JournalReader {
    private final ChronicleQueue queue;
    private final ExcerptTailer tailer;
    private final boolean isKnownCut;
    private final Runnable cleanUp;
    private boolean isOver;

    /**
     * Begins.
     *
     * @param queue owned by this
     * @param isKnownCut whether its file is shorter than it was
     * @param cleanUp run at the close
     */
    ChronicleJournalReader(ChronicleQueue queue, boolean isKnownCut, Runnable cleanUp) {
        this.queue = queue;
        this.tailer = queue.createTailer().toStart();
        this.isKnownCut = isKnownCut;
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
            System.getLogger(ChronicleJournalReader.class.getName())
                    .log(System.Logger.Level.DEBUG, "reading a journal", e);
            return CUT_OFF;
        }
    }

    @Override
    public void close() {
        queue.close();
        cleanUp.run();
    }
}
