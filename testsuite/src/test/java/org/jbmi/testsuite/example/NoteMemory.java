package org.jbmi.testsuite.example;

import org.jbmi.ErrorCode;
import org.jbmi.spi.Operation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A member's memory: blocks that programs allocate, and unexpected messages. */
final class NoteMemory {
    private static final int ALIGNMENT = 64;

    private static final class Block {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment memory;
        private int users;

        Block(long sizeBytes) {
            memory = arena.allocate(Math.max(1, sizeBytes), ALIGNMENT).asSlice(0, sizeBytes);
        }
    }

    private final TreeMap<Long, Block> blocks = new TreeMap<>();
    private final Map<Long, Block> messages = new HashMap<>();

    MemorySegment allocateBlock(long sizeBytes) {
        Block block = new Block(sizeBytes);
        blocks.put(block.memory.address(), block);
        return block.memory;
    }

    MemorySegment allocateMessage(long sizeBytes) {
        Block block = new Block(sizeBytes);
        messages.put(block.memory.address(), block);
        return block.memory;
    }

    /** An operation begins (1) or ends (-1) to use its buffers. */
    void uses(Operation operation, int change) {
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment buffer = operation.buffer(i);
            Map.Entry<Long, Block> entry =
                    buffer.isNative() ? blocks.floorEntry(buffer.address()) : null;
            if (entry != null
                    && buffer.address() < entry.getKey() + entry.getValue().memory.byteSize()) {
                entry.getValue().users += change;
            }
        }
    }

    int free(MemorySegment memory) {
        Block block = memory.isNative() ? blocks.get(memory.address()) : null;
        if (block == null) {
            return ErrorCode.EINVAL.negativeValue();
        }
        if (block.users > 0) {
            return ErrorCode.EBUSY.negativeValue();
        }
        blocks.remove(memory.address());
        block.arena.close();
        return 0;
    }

    void freeMessage(long token) {
        Block message = messages.remove(token);
        if (message != null) {
            message.arena.close();
        }
    }

    void close() {
        blocks.values().forEach(block -> block.arena.close());
        messages.values().forEach(message -> message.arena.close());
        blocks.clear();
        messages.clear();
    }
}
