package org.jbmi.zbmi.engine.port;

import org.jbmi.zbmi.protocol.Message;

/**
 * The engine's access to the segment besides messages: claims, and copies of small payloads. The
 * engine passes only offsets that it has checked or chosen itself.
 */
public interface EnginePayload {
    /**
     * Takes announced bytes of an eager slot.
     *
     * @return false if their owner has withdrawn them
     */
    boolean takeEager(int client, int slot, long sequence);

    /** Copies taken bytes to a block. */
    void copyEager(int client, int slot, long bytes, long offset);

    /**
     * Copies taken bytes into a list of blocks.
     *
     * @return false if the list is not sound any more; some bytes may have been copied
     */
    boolean copyEagerToList(int client, int slot, long bytes, long listOffset, int listEntries);

    /** Copies bytes that lie in the message itself to a block. */
    void copyInline(Message message, long bytes, long offset);

    /**
     * Whether a list is valid: the list and its blocks lie in the expected region, and the blocks
     * have that many bytes together.
     */
    boolean isListSound(long listOffset, int listEntries, long bytes);

    /**
     * Reads how many cancels of receives a client has begun; after a {@link EngineHost#sendData},
     * which orders its message before this.
     *
     * @return any number: the client writes it
     */
    long cancels(int client);

    /**
     * Stores on which tags sends of the server wait for a receive of a client, before the next
     * message of the engine.
     *
     * @param bits see {@link org.jbmi.zbmi.protocol.TagBits}
     */
    void sendTags(int client, long bits);

    /**
     * Stores whether the engine keeps unexpected messages of a client, before it reads the next.
     *
     * @param word see {@link org.jbmi.zbmi.protocol.SessionArea#keepsOffset}
     */
    void keeps(int client, int word);

    /**
     * Stores which of the slots that a client has lent were given back.
     *
     * @param word see {@link org.jbmi.zbmi.protocol.SessionArea#returnedOffset}
     */
    void returned(int client, long word);

    /**
     * Reads how many data slots a client has given back. All its reads of those slots come before.
     *
     * @return any number: the client writes it
     */
    long dataSlotsBack(int client);

    /**
     * Copies bytes of the expected region into a data slot, before the message that names it.
     *
     * @param slot free
     * @param offset where the bytes begin
     * @param bytes how many; they fit
     */
    void fillDataSlot(int client, int slot, long offset, long bytes);

    /** Stores the word of a window that no client can claim from. */
    void openWindow(int client, int window, long word);

    /** Reads the word of a window. */
    long windowWord(int client, int window);

    /**
     * Swaps the word of a window.
     *
     * @return false if it is not the expected one any more
     */
    boolean swapWindow(int client, int window, long expected, long word);
}
