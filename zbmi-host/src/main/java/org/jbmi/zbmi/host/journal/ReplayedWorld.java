package org.jbmi.zbmi.host.journal;

import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The world around a replayed engine: it gives the recorded answers, and compares what the engine
 * does with what it did.
 */
final class ReplayedWorld implements EngineHost, EnginePayload {
    private final List<JournalRecord> expected = new ArrayList<>();
    private final JournalRecord actual = new JournalRecord();
    private int next;
    private boolean isDifferent;
    private @Nullable JournalRecord missing;

    /** What an event is to lead to. */
    void expect(List<JournalRecord> records) {
        expected.clear();
        expected.addAll(records);
        next = 0;
    }

    /** Whether the engine did exactly what it did then. */
    boolean isSame() {
        if (!isDifferent && next < expected.size()) {
            isDifferent = true;
            missing = expected.get(next);
        }
        return !isDifferent;
    }

    /** The engine could not do what the event asks for. */
    void breakOff() {
        if (!isDifferent) {
            isDifferent = true;
            missing = next < expected.size() ? expected.get(next) : null;
            actual.start(0, 0, 0);
        }
    }

    /** What it should have done where it first differed; null if nothing. */
    @Nullable JournalRecord recorded() {
        return missing;
    }

    /** What it did there; null if nothing. */
    @Nullable JournalRecord done() {
        return actual.kind() == 0 ? null : actual;
    }

    private JournalRecord begin(JournalKind kind, int session) {
        return isDifferent
                ? new JournalRecord().start(kind.code(), session, 0)
                : actual.start(kind.code(), session, 0);
    }

    private void end() {
        if (isDifferent) {
            return;
        }
        JournalRecord wanted = next < expected.size() ? expected.get(next) : null;
        if (wanted != null && wanted.tellsTheSame(actual)) {
            next++;
            actual.start(0, 0, 0);
        } else {
            isDifferent = true;
            missing = wanted;
        }
    }

    // The last word of the record is the answer, whatever it was; the rest must be the same.
    private long answer() {
        if (isDifferent) {
            return 0;
        }
        JournalRecord wanted = next < expected.size() ? expected.get(next) : null;
        boolean hasAnswer = wanted != null && wanted.wordCount() == actual.wordCount() + 1;
        long answer = hasAnswer && wanted != null ? wanted.word(wanted.wordCount() - 1) : 0;
        actual.put(answer);
        end();
        return answer;
    }

    @Override
    public void send(int session, Message message) {
        begin(JournalKind.SENT, session).put(message);
        end();
    }

    @Override
    public void fault(int session, Fault fault) {
        begin(JournalKind.FAULT, session).put(EngineRecording.number(fault));
        end();
    }

    @Override
    public boolean takeEager(int client, int slot, long sequence) {
        begin(JournalKind.TAKE_EAGER, client).put(slot).put(sequence);
        return answer() != 0;
    }

    @Override
    public void copyEager(int client, int slot, long bytes, long offset) {
        begin(JournalKind.COPY_EAGER, client).put(slot).put(bytes).put(offset);
        end();
    }

    @Override
    public boolean copyEagerToList(
            int client, int slot, long bytes, long listOffset, int listEntries) {
        begin(JournalKind.COPY_EAGER_TO_LIST, client)
                .put(slot)
                .put(bytes)
                .put(listOffset)
                .put(listEntries);
        return answer() != 0;
    }

    @Override
    public void copyInline(Message message, long bytes, long offset) {
        begin(JournalKind.COPY_INLINE, 0).put(bytes).put(offset);
        end();
    }

    @Override
    public boolean isListSound(long listOffset, int listEntries, long bytes) {
        begin(JournalKind.CHECK_LIST, 0).put(listOffset).put(listEntries).put(bytes);
        return answer() != 0;
    }

    @Override
    public boolean mayPublish(int client) {
        begin(JournalKind.MAY_PUBLISH, client);
        return answer() != 0;
    }

    @Override
    public boolean sendData(int client, Message head, long offset, long bytes) {
        begin(JournalKind.SENT_DATA, client).put(offset).put(head);
        return answer() != 0;
    }

    @Override
    public long cancels(int client) {
        begin(JournalKind.READ_CANCELS, client);
        return answer();
    }

    @Override
    public void sendTags(int client, long bits) {
        begin(JournalKind.SEND_TAGS, client).put(bits);
        end();
    }

    @Override
    public void keeps(int client, int word) {
        begin(JournalKind.KEEPS, client).put(word);
        end();
    }

    @Override
    public void returned(int client, long word) {
        begin(JournalKind.RETURNED, client).put(word);
        end();
    }

    @Override
    public long dataSlotsBack(int client) {
        begin(JournalKind.READ_DATA_SLOTS, client);
        return answer();
    }

    @Override
    public void fillDataSlot(int client, int slot, long offset, long bytes) {
        begin(JournalKind.FILL_DATA_SLOT, client).put(slot).put(offset).put(bytes);
        end();
    }

    @Override
    public void openWindow(int client, int window, long word) {
        begin(JournalKind.OPEN_WINDOW, client).put(window).put(word);
        end();
    }

    @Override
    public long windowWord(int client, int window) {
        begin(JournalKind.READ_WINDOW, client).put(window);
        return answer();
    }

    @Override
    public boolean swapWindow(int client, int window, long expectedWord, long word) {
        begin(JournalKind.SWAP_WINDOW, client).put(window).put(expectedWord).put(word);
        return answer() != 0;
    }
}
