package org.jbmi.zbmi.engine;

import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.EagerState;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.jbmi.zbmi.protocol.Message;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The segment as an engine needs it, without one: words in maps, payload as one number a block. */
final class FakePayload implements EnginePayload {
    private final Map<Long, Long> windows = new HashMap<>();
    private final Map<Long, Long> eagerStates = new HashMap<>();
    private final Map<Long, Long> eagerContents = new HashMap<>();
    private final Map<Long, Long> memory = new HashMap<>();
    final List<String> copies = new ArrayList<>();
    boolean areListsSound = true;
    final Map<Integer, Long> sendTags = new HashMap<>();
    final Map<Integer, Long> returned = new HashMap<>();
    final Map<Integer, Integer> keeps = new HashMap<>();
    final Map<Integer, Long> cancels = new HashMap<>();
    final Map<Integer, Long> dataSlotsBack = new HashMap<>();

    /** Run once just before the next swap of a window, as a client would that is faster. */
    Runnable beforeSwap = () -> {};

    private static long key(int client, int index) {
        return Message.pack(index, client);
    }

    /** The client's part: announces eager bytes. */
    void announce(int client, int slot, long sequence, long content) {
        eagerContents.put(key(client, slot), content);
        eagerStates.put(key(client, slot), EagerState.announced(sequence));
    }

    /** The client's part: withdraws eager bytes. */
    boolean withdraw(int client, int slot, long sequence) {
        return eagerStates.replace(
                key(client, slot), EagerState.announced(sequence), EagerState.withdrawn(sequence));
    }

    /** The client's part: claims a grant. */
    boolean claim(int client, int window, long claimWord) {
        return windows.replace(key(client, window), claimWord, GrantWindow.claimed(claimWord));
    }

    /** The client's part: nonsense. */
    void scribble(int client, int window, long word) {
        windows.put(key(client, window), word);
    }

    void write(long offset, long content) {
        memory.put(offset, content);
    }

    long read(long offset) {
        return memory.getOrDefault(offset, 0L);
    }

    @Override
    public boolean takeEager(int client, int slot, long sequence) {
        return eagerStates.replace(
                key(client, slot), EagerState.announced(sequence), EagerState.taken(sequence));
    }

    @Override
    public void copyEager(int client, int slot, long bytes, long offset) {
        copies.add("eager " + bytes);
        write(offset, eagerContents.get(key(client, slot)));
    }

    @Override
    public boolean copyEagerToList(
            int client, int slot, long bytes, long listOffset, int listEntries) {
        copies.add("eager to list " + bytes);
        return areListsSound;
    }

    @Override
    public void copyInline(Message message, long bytes, long offset) {
        copies.add("inline " + bytes);
        write(offset, message.word(ClientRequests.inlineWord(message)));
    }

    @Override
    public boolean isListSound(long listOffset, int listEntries, long bytes) {
        return areListsSound;
    }

    @Override
    public long cancels(int client) {
        return cancels.getOrDefault(client, 0L);
    }

    @Override
    public long dataSlotsBack(int client) {
        return dataSlotsBack.getOrDefault(client, 0L);
    }

    @Override
    public void fillDataSlot(int client, int slot, long offset, long bytes) {
        copies.add("data slot " + slot + ": " + bytes);
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
        Runnable before = beforeSwap;
        beforeSwap = () -> {};
        before.run();
        return windows.replace(key(client, window), expected, word);
    }
}
