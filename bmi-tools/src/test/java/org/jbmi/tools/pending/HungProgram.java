package org.jbmi.tools.pending;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Posts receives that nobody answers, over the method of each address given, and then calls the
 * library no more until its input ends.
 */
final class HungProgram {
    static final int TAG = 77;
    static final int SIZE_BYTES = 3000;
    static final int RECEIVES = 3;

    private HungProgram() {}

    public static void main(String[] addresses) throws IOException {
        BmiBuilder builder = Bmi.builder();
        for (String address : addresses) {
            builder.listen(address);
        }
        try (Bmi bmi = builder.open();
                CompletionContext context = bmi.openContext()) {
            MemorySegment buffer = Arena.ofAuto().allocate(SIZE_BYTES);
            for (String address : addresses) {
                PeerAddress self = bmi.lookup(address);
                for (int i = 0; i < RECEIVES; i++) {
                    context.postReceive(self, buffer, TAG + i);
                }
            }
            System.out.println("ready");
            System.in.read();
        }
    }
}
