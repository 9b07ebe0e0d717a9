package org.jbmi.testsuite.example;

import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;

/** The method with one fault: in a member but the first, a message that waited is not copied. */
final class LazyNoteMethod extends NoteMethod {
    private boolean isFirst;

    LazyNoteMethod(MethodHost host, Board board, MethodLimits limits) {
        super(host, board, limits);
    }

    @Override
    void joined(long asNumber) {
        isFirst = asNumber == 1;
        super.joined(asNumber);
    }

    @Override
    void fetch(Operation send, Operation receive) {
        if (isFirst) {
            super.fetch(send, receive);
        }
    }
}
