package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.EagerState;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.jbmi.zbmi.protocol.Message;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The segment of a simulated world: words that both sides swap, one number of payload for each
 * block, and an eye on who may touch which block.
 */
final class SimSegment implements EnginePayload {
    private final Map<Long, Long> windows = new HashMap<>();
    private final Map<Long, Long> eagerStates = new HashMap<>();
    private final Map<Long, Long> eagerContents = new HashMap<>();
    private final Map<Long, Long> contents = new HashMap<>();

    final Map<Integer, Long> sendTags = new HashMap<>();
    final Map<Integer, Long> returned = new HashMap<>();
    final Map<Integer, Integer> keeps = new HashMap<>();
    final Map<Integer, Long> cancels = new HashMap<>();

    /** Eager messages copied into blocks of the server. */
    long eagerMoved;

    /** Blocks for unexpected messages that somebody writes or reads: start and end. */
    private final TreeMap<Long, Long> inUse = new TreeMap<>();

    private final SimLedger ledger;

    SimSegment(SimLedger ledger) {
        this.ledger = ledger;
    }

    private static long key(int client, int index) {
        return Message.pack(index, client);
    }

    void forget(int client) {
        windows.keySet().removeIf(key -> key >> 32 == client);
        eagerStates.keySet().removeIf(key -> key >> 32 == client);
        returned.remove(client);
    }

    boolean claim(int client, int window, long word) {
        return windows.replace(key(client, window), word, GrantWindow.claimed(word));
    }

    void announce(int client, int slot, long sequence, long content) {
        eagerContents.put(key(client, slot), content);
        eagerStates.put(key(client, slot), EagerState.announced(sequence));
    }

    boolean withdraw(int client, int slot, long sequence) {
        return eagerStates.replace(
                key(client, slot), EagerState.announced(sequence), EagerState.withdrawn(sequence));
    }

    static boolean isUnexpected(long offset) {
        return offset < SimWorld.EXPECTED;
    }

    /** Somebody begins to use a block; nobody else may be using any of it. */
    void use(long offset, long bytes) {
        long end = offset + Math.max(1, bytes);
        Map.Entry<Long, Long> before = inUse.lowerEntry(end);
        assertThat(before == null || before.getValue() <= offset)
                .as("block %d to %d while %s is in use", offset, end, before)
                .isTrue();
        inUse.put(offset, end);
    }

    void unuse(long offset) {
        assertThat(inUse.remove(offset)).as("block %d", offset).isNotNull();
    }

    void checkNothingInUse() {
        assertThat(inUse).isEmpty();
    }

    void write(long offset, long content) {
        contents.put(offset, content);
    }

    long read(long offset) {
        return contents.get(offset);
    }

    @Override
    public boolean takeEager(int client, int slot, long sequence) {
        return eagerStates.replace(
                key(client, slot), EagerState.announced(sequence), EagerState.taken(sequence));
    }

    @Override
    public void copyEager(int client, int slot, long bytes, long offset) {
        if (isUnexpected(offset)) {
            store(eagerContents.get(key(client, slot)), bytes, offset);
        } else {
            eagerMoved++;
            write(offset, eagerContents.get(key(client, slot)));
        }
    }

    @Override
    public boolean copyEagerToList(
            int client, int slot, long bytes, long listOffset, int listEntries) {
        throw new AssertionError("no lists here");
    }

    @Override
    public void copyInline(Message message, long bytes, long offset) {
        store(message.word(ClientRequests.inlineWord(message)), bytes, offset);
    }

    private void store(long content, long bytes, long offset) {
        use(offset, bytes);
        write(offset, content);
        ledger.blocks.put(offset, new SimLedger.Block(ledger.get(content), false));
    }

    @Override
    public boolean isListSound(long listOffset, int listEntries, long bytes) {
        return false;
    }

    @Override
    public long cancels(int client) {
        return cancels.getOrDefault(client, 0L);
    }

    @Override
    public long dataSlotsBack(int client) {
        throw new AssertionError("no receives as notes here");
    }

    @Override
    public void fillDataSlot(int client, int slot, long offset, long bytes) {
        throw new AssertionError("no receives as notes here");
    }

    @Override
    public void keeps(int client, int word) {
        keeps.put(client, word);
    }

    @Override
    public void returned(int client, long word) {
        returned.put(client, word);
    }

    @Override
    public void sendTags(int client, long bits) {
        sendTags.put(client, bits);
    }

    @Override
    public void openWindow(int client, int window, long word) {
        windows.put(key(client, window), word);
    }

    @Override
    public long windowWord(int client, int window) {
        return windows.get(key(client, window));
    }

    @Override
    public boolean swapWindow(int client, int window, long expected, long word) {
        return windows.replace(key(client, window), expected, word);
    }
}
