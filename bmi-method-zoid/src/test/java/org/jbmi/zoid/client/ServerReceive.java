package org.jbmi.zoid.client;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zoid.common.ZoidAddress;

import java.lang.foreign.MemorySegment;

/** A client's receive from the server, into one buffer of the program. */
final class ServerReceive extends Operation {
    ServerReceive(int sizeBytes) {
        this.kind = OperationKind.RECEIVE;
        this.address = ZoidAddress.server();
        this.sizeBytes = sizeBytes;
        this.buffer = MemorySegment.ofArray(new byte[sizeBytes]);
        this.bufferCount = 1;
    }
}
