package org.jbmi.testsuite.example;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;

import java.util.List;

/** Makes the method {@code note} known. */
public class NoteProvider implements MethodProvider {
    static final Knob<Long> MAX_EXPECTED_BYTES =
            Knob.bytes("note.maxExpectedBytes", 16L << 20, 1, 1L << 30, "Largest message.");
    static final Knob<Long> MAX_UNEXPECTED_BYTES =
            Knob.bytes("note.maxUnexpectedBytes", 8192, 1, 1L << 20, "Largest unexpected message.");

    @Override
    public String scheme() {
        return "note";
    }

    @Override
    public Availability availability() {
        return Availability.AVAILABLE;
    }

    @Override
    public List<Knob<?>> knobs() {
        return List.of(MAX_EXPECTED_BYTES, MAX_UNEXPECTED_BYTES);
    }

    @Override
    public MethodLimits limits(Configuration configuration) {
        return new MethodLimits(
                configuration.get(MAX_EXPECTED_BYTES),
                configuration.get(MAX_UNEXPECTED_BYTES),
                0,
                65_536);
    }

    @Override
    public Method open(MethodHost host, List<String> listenAddresses) {
        Board board = host.attachment(Board.class);
        if (board == null) {
            throw new BmiException(ErrorCode.EINVAL, "Attach a Board to the builder.");
        }
        NoteMethod method = make(host, board, limits(host.configuration()));
        listenAddresses.forEach(method::lookup);
        method.joined(board.join(method, listenAddresses));
        return method;
    }

    NoteMethod make(MethodHost host, Board board, MethodLimits limits) {
        Twin twin = host.attachment(Twin.class);
        return twin == null ? new NoteMethod(host, board, limits) : twin.make(host, board, limits);
    }

    /** Attached to a builder, it makes the method one with a fault. */
    interface Twin {
        NoteMethod make(MethodHost host, Board board, MethodLimits limits);
    }
}
