package org.jbmi.mempool.pool;

import java.util.Arrays;

/**
 * The records of all blocks of a pool, used and free, as integers in chunks. So a block needs no
 * object, and the table grows without copying. It never has more than a given number of records.
 * Lengths and places are counted in granules. Not thread-safe.
 *
 * <p>A record is 32 bytes. It has start, length, the unused bytes at the end of the block, and the
 * state. It also has the blocks before and after it in the pool, and those below and above it in a
 * tree of free blocks.
 */
final class BlockTable {
    /** No block. */
    static final int NONE = -1;

    /** The state of a block that is not allocated; an allocated one has its number of pins. */
    static final int FREE = -1;

    private static final int CHUNK_LOG2 = 10;
    private static final int CHUNK_RECORDS = 1 << CHUNK_LOG2;
    private static final int RECORD_LOG2 = 3;

    private static final int START = 0;
    private static final int LENGTH = 1;
    private static final int BEFORE = 2;
    private static final int AFTER = 3;
    private static final int LOWER_FREE = 4;
    private static final int UPPER_FREE = 5;
    private static final int SLACK = 6;
    private static final int STATE = 7;

    private final int maxRecords;
    private int[][] chunks = new int[1][];
    private int touchedRecords;
    private int unusedHead = NONE;

    BlockTable(int maxRecords) {
        this.maxRecords = maxRecords;
    }

    /** Allocates a record; {@link #NONE} if the table is full. */
    int acquire() {
        int id = unusedHead;
        if (id != NONE) {
            unusedHead = get(id, UPPER_FREE);
            return id;
        }
        if (touchedRecords == maxRecords) {
            return NONE;
        }
        id = touchedRecords;
        addChunk(id >>> CHUNK_LOG2);
        touchedRecords = id + 1;
        return id;
    }

    private void addChunk(int chunk) {
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunk);
        }
        if (chunks[chunk] == null) {
            chunks[chunk] = new int[CHUNK_RECORDS << RECORD_LOG2];
        }
    }

    void release(int id) {
        set(id, UPPER_FREE, unusedHead);
        unusedHead = id;
    }

    int start(int id) {
        return get(id, START);
    }

    void start(int id, int granule) {
        set(id, START, granule);
    }

    int length(int id) {
        return get(id, LENGTH);
    }

    void length(int id, int granules) {
        set(id, LENGTH, granules);
    }

    int before(int id) {
        return get(id, BEFORE);
    }

    void before(int id, int other) {
        set(id, BEFORE, other);
    }

    int after(int id) {
        return get(id, AFTER);
    }

    void after(int id, int other) {
        set(id, AFTER, other);
    }

    int lowerFree(int id) {
        return get(id, LOWER_FREE);
    }

    void lowerFree(int id, int other) {
        set(id, LOWER_FREE, other);
    }

    int upperFree(int id) {
        return get(id, UPPER_FREE);
    }

    void upperFree(int id, int other) {
        set(id, UPPER_FREE, other);
    }

    int slackBytes(int id) {
        return get(id, SLACK);
    }

    void slackBytes(int id, int bytes) {
        set(id, SLACK, bytes);
    }

    int state(int id) {
        return get(id, STATE);
    }

    void state(int id, int state) {
        set(id, STATE, state);
    }

    private int get(int id, int field) {
        return chunks[id >>> CHUNK_LOG2][((id & (CHUNK_RECORDS - 1)) << RECORD_LOG2) + field];
    }

    private void set(int id, int field, int value) {
        chunks[id >>> CHUNK_LOG2][((id & (CHUNK_RECORDS - 1)) << RECORD_LOG2) + field] = value;
    }
}
