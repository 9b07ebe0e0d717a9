package org.jbmi.zbmi.host.journal;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.engine.port.EngineRecorder;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerOutput;
import org.jspecify.annotations.Nullable;

import java.util.EnumMap;
import java.util.function.Consumer;

/**
 * Writes what enters an engine and what it does into a journal. If the journal fails or is full, it
 * is closed at once, and the engine goes on without. So whoever follows the journal hears of its
 * end. For one thread at a time; allocates nothing.
 */
public final class EngineRecording implements EngineRecorder, AutoCloseable {
    /** What {@link JournalKind#HEADER} says first. */
    public static final int FORMAT = 4;

    private static final int BYTES_ABOUT_A_RECORD = 32;

    private final EnumMap<EngineRecorder.Event, JournalKind> kinds = kinds();
    private final EngineJournal journal;
    private final NanoClock clock;
    private final long maxBytes;
    private final Consumer<String> onFailure;
    private final JournalRecord record = new JournalRecord();
    private long bytes;
    private boolean isOver;

    /**
     * Begins to record: the journal has a first record at once, so that it is one.
     *
     * @param journal owned by this from now on
     * @param clock for the times of the records
     * @param maxBytes how much to write at most, about
     * @param onFailure told, in a sentence, that there will be no further record
     */
    public EngineRecording(
            EngineJournal journal,
            NanoClock clock,
            EngineLimits limits,
            long maxBytes,
            Consumer<String> onFailure) {
        this.journal = journal;
        this.clock = clock;
        this.maxBytes = maxBytes;
        this.onFailure = onFailure;
        JournalHeader.put(start(JournalKind.HEADER, 0), limits);
        write();
    }

    private static EnumMap<EngineRecorder.Event, JournalKind> kinds() {
        EnumMap<EngineRecorder.Event, JournalKind> kinds =
                new EnumMap<>(EngineRecorder.Event.class);
        for (EngineRecorder.Event event : EngineRecorder.Event.values()) {
            kinds.put(event, JournalKind.valueOf(event.name()));
        }
        return kinds;
    }

    private JournalRecord start(@Nullable JournalKind kind, int session) {
        if (kind == null) {
            throw new IllegalStateException("an event without a kind");
        }
        return record.start(kind.code(), session, clock.nanoTime());
    }

    /** A number for a fault; the order of the faults is part of the format. */
    @SuppressWarnings("EnumOrdinal")
    static int number(Fault fault) {
        return fault.ordinal();
    }

    private void write() {
        if (isOver) {
            return;
        }
        try {
            journal.append(record);
            bytes += BYTES_ABOUT_A_RECORD + (long) record.wordCount() * Long.BYTES;
            if (bytes > maxBytes) {
                isOver = true;
                onFailure.accept("The journal is full; what follows is not recorded.");
            }
        } catch (RuntimeException | VirtualMachineError | LinkageError | AssertionError e) {
            isOver = true;
            tell("The journal cannot be written, and is ended: ", e);
        }
        if (isOver) {
            closeJournal();
        }
    }

    // With a full heap there may be no memory for the words. The engine goes on.
    private void tell(String what, Throwable why) {
        try {
            onFailure.accept(what + why);
        } catch (OutOfMemoryError ignored) {
            // The journal is over, and the error log cannot say so.
        }
    }

    @Override
    public void message(int session, Message message, long nowNs) {
        start(JournalKind.MESSAGE, session).put(nowNs).put(message);
        write();
    }

    @Override
    public void event(Event event, int session, long first, long second) {
        start(kinds.get(event), session).put(first).put(second);
        write();
    }

    /**
     * Stands between an engine and its host.
     *
     * @param host what it records is passed on to
     * @param ownServer a server in this process, for which the messages are decoded again; null if
     *     the host sends them
     */
    public EngineHost host(EngineHost host, @Nullable ServerOutput ownServer) {
        return new RecordedHost(host, ownServer);
    }

    /**
     * Stands between an engine and the segment.
     *
     * @param payload what it records is passed on to
     * @return records what the engine does, and what it is answered
     */
    public EnginePayload payload(EnginePayload payload) {
        return new RecordedPayload(payload);
    }

    /** Ends the journal. */
    @Override
    public void close() {
        if (isOver) {
            return;
        }
        start(JournalKind.END, 0);
        write();
        if (!isOver) {
            isOver = true;
            closeJournal();
        }
    }

    private void closeJournal() {
        try {
            journal.close();
        } catch (RuntimeException | VirtualMachineError | LinkageError | AssertionError e) {
            tell("The journal cannot be closed: ", e);
        }
    }

    private final class RecordedHost implements EngineHost {
        private final EngineHost host;
        private final @Nullable ServerOutput ownServer;

        RecordedHost(EngineHost host, @Nullable ServerOutput ownServer) {
            this.host = host;
            this.ownServer = ownServer;
        }

        @Override
        public void send(int session, Message message) {
            start(JournalKind.SENT, session).put(message);
            write();
            if (session == SegmentMap.SERVER_SESSION && ownServer != null) {
                ServerEvents.deliver(message, ownServer);
            } else {
                host.send(session, message);
            }
        }

        @Override
        public boolean mayPublish(int client) {
            boolean may = host.mayPublish(client);
            start(JournalKind.MAY_PUBLISH, client).put(may ? 1 : 0);
            write();
            return may;
        }

        // Before the bytes are behind it: the journal holds none of the server's.
        @Override
        public boolean sendData(int client, Message head, long offset, long length) {
            start(JournalKind.SENT_DATA, client).put(offset).put(head);
            boolean isPublished = host.sendData(client, head, offset, length);
            record.put(isPublished ? 1 : 0);
            write();
            return isPublished;
        }

        @Override
        public void fault(int session, Fault fault) {
            start(JournalKind.FAULT, session).put(number(fault));
            write();
            host.fault(session, fault);
        }
    }

    private final class RecordedPayload implements EnginePayload {
        private final EnginePayload payload;

        RecordedPayload(EnginePayload payload) {
            this.payload = payload;
        }

        private boolean result(boolean result) {
            record.put(result ? 1 : 0);
            write();
            return result;
        }

        @Override
        public boolean takeEager(int client, int slot, long sequence) {
            boolean taken = payload.takeEager(client, slot, sequence);
            start(JournalKind.TAKE_EAGER, client).put(slot).put(sequence);
            return result(taken);
        }

        @Override
        public void copyEager(int client, int slot, long length, long offset) {
            start(JournalKind.COPY_EAGER, client).put(slot).put(length).put(offset);
            write();
            payload.copyEager(client, slot, length, offset);
        }

        @Override
        public boolean copyEagerToList(
                int client, int slot, long length, long listOffset, int listEntries) {
            boolean isSound =
                    payload.copyEagerToList(client, slot, length, listOffset, listEntries);
            start(JournalKind.COPY_EAGER_TO_LIST, client).put(slot).put(length);
            record.put(listOffset).put(listEntries);
            return result(isSound);
        }

        @Override
        public void copyInline(Message message, long length, long offset) {
            start(JournalKind.COPY_INLINE, 0).put(length).put(offset);
            write();
            payload.copyInline(message, length, offset);
        }

        @Override
        public boolean isListSound(long listOffset, int listEntries, long length) {
            boolean isSound = payload.isListSound(listOffset, listEntries, length);
            start(JournalKind.CHECK_LIST, 0).put(listOffset).put(listEntries).put(length);
            return result(isSound);
        }

        @Override
        public long cancels(int client) {
            long cancels = payload.cancels(client);
            start(JournalKind.READ_CANCELS, client).put(cancels);
            write();
            return cancels;
        }

        @Override
        public void sendTags(int client, long bits) {
            start(JournalKind.SEND_TAGS, client).put(bits);
            write();
            payload.sendTags(client, bits);
        }

        @Override
        public void keeps(int client, int word) {
            start(JournalKind.KEEPS, client).put(word);
            write();
            payload.keeps(client, word);
        }

        @Override
        public void returned(int client, long word) {
            start(JournalKind.RETURNED, client).put(word);
            write();
            payload.returned(client, word);
        }

        @Override
        public long dataSlotsBack(int client) {
            long back = payload.dataSlotsBack(client);
            start(JournalKind.READ_DATA_SLOTS, client).put(back);
            write();
            return back;
        }

        @Override
        public void fillDataSlot(int client, int slot, long offset, long length) {
            start(JournalKind.FILL_DATA_SLOT, client).put(slot).put(offset).put(length);
            write();
            payload.fillDataSlot(client, slot, offset, length);
        }

        @Override
        public void openWindow(int client, int window, long word) {
            start(JournalKind.OPEN_WINDOW, client).put(window).put(word);
            write();
            payload.openWindow(client, window, word);
        }

        @Override
        public long windowWord(int client, int window) {
            long word = payload.windowWord(client, window);
            start(JournalKind.READ_WINDOW, client).put(window).put(word);
            write();
            return word;
        }

        @Override
        public boolean swapWindow(int client, int window, long expected, long word) {
            boolean swapped = payload.swapWindow(client, window, expected, word);
            start(JournalKind.SWAP_WINDOW, client).put(window).put(expected).put(word);
            return result(swapped);
        }
    }
}
