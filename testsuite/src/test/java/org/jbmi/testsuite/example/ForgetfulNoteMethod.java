package org.jbmi.testsuite.example;

import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;

/** The method with one fault: it forgets the sign of tags. */
final class ForgetfulNoteMethod extends NoteMethod {
    ForgetfulNoteMethod(MethodHost host, Board board, MethodLimits limits) {
        super(host, board, limits);
    }

    @Override
    int key(int tag) {
        return tag & Integer.MAX_VALUE;
    }
}
