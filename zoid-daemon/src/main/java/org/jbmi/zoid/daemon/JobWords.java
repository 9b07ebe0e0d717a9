package org.jbmi.zoid.daemon;

import org.jbmi.shipper.codec.Shipped;

import java.util.List;

/** What a launcher and the server say of a job. */
final class JobWords {
    private JobWords() {}

    /** A job begins; the call is under way as long as its launcher lives. */
    @Shipped
    record In(
            String job,
            long key,
            int size,
            int mode,
            String executable,
            List<String> arguments,
            List<String> environment) {}

    /** The end of it. */
    @Shipped
    record Out(int error) {}

    /** Names a job. */
    @Shipped
    record Name(String job, long key) {}

    /** A question without words. */
    @Shipped
    record Nothing() {}

    /** Says whether something went well, and what did not. */
    @Shipped
    record Answer(int error, String text) {}

    /** A piece of output: 1 for standard output, 2 for standard error. */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // read once, and never compared
    record Piece(int stream, byte[] text) {}

    /** Output in order; empty after the end. */
    @Shipped
    record Pieces(List<Piece> pieces) {}
}
