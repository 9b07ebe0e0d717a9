package org.jbmi.tools.demo.forward;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The buffers of one client, allocated once and used for every transfer. */
final class ClientMemory implements AutoCloseable {
    private final Bmi bmi;
    private final PeerAddress server;
    private final List<MemorySegment> all = new ArrayList<>();
    private final MemorySegment request;
    private final MemorySegment reply;
    private final MemorySegment[] chunks;

    ClientMemory(Bmi bmi, PeerAddress server, int chunkBytes, int depth) {
        this.bmi = bmi;
        this.server = server;
        request = allocate(TransferRequest.BYTES);
        reply = allocate(TransferReply.BYTES);
        chunks = new MemorySegment[depth];
        for (int i = 0; i < depth; i++) {
            chunks[i] = allocate(chunkBytes);
        }
    }

    MemorySegment request() {
        return request;
    }

    MemorySegment reply() {
        return reply;
    }

    MemorySegment[] chunks() {
        return chunks.clone();
    }

    /** Gives everything back. Only when no operation is under way. */
    @Override
    public void close() {
        all.forEach(bmi::free);
        all.clear();
    }

    private MemorySegment allocate(long sizeBytes) {
        MemorySegment memory = server.allocate(sizeBytes);
        if (memory == null) {
            close();
            throw new BmiException(
                    ErrorCode.ENOMEM,
                    "There is no memory for a buffer of " + sizeBytes + " bytes.");
        }
        all.add(memory);
        return memory;
    }
}
