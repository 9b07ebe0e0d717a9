package org.jbmi.shipper;

import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.server.Served;
import org.jbmi.shipper.server.ServerCall;
import org.jbmi.shipper.wire.Wire;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Predicate;

/** A name, its codecs, and its handler. */
final class RegisteredFunction<I, O> implements Served {
    private static final System.Logger LOG = System.getLogger(RegisteredFunction.class.getName());

    private final String name;
    private final String signature;
    private final long fingerprint;
    private final @Nullable Predicate<? super I> isShort;
    private final Codec<I> inputCodec;
    private final Codec<O> outputCodec;
    private final CallHandler<I, O> handler;
    private final boolean isImmediate;

    RegisteredFunction(
            String name,
            Codec<I> inputCodec,
            Codec<O> outputCodec,
            CallHandler<I, O> handler,
            @Nullable Predicate<? super I> isShort,
            boolean isImmediate) {
        this.name = name;
        this.inputCodec = inputCodec;
        this.outputCodec = outputCodec;
        this.handler = handler;
        this.signature = Wire.signature(inputCodec.signature(), outputCodec.signature());
        this.fingerprint = Wire.hash(signature);
        this.isShort = isShort;
        this.isImmediate = isImmediate;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String signature() {
        return signature;
    }

    @Override
    public long fingerprint() {
        return fingerprint;
    }

    @Override
    public boolean isShort(@Nullable Object input) {
        @SuppressWarnings("unchecked") // read by this very codec
        I own = (I) input;
        try {
            return isShort != null && own != null && isShort.test(own);
        } catch (RuntimeException | Error e) { // asked for each call, in the server's own thread
            LOG.log(System.Logger.Level.DEBUG, "The condition for short calls failed.", e);
            return false;
        }
    }

    @Override
    public boolean isImmediate() {
        return isImmediate;
    }

    @Override
    public Object read(Decoder in) {
        return inputCodec.decode(in);
    }

    @Override
    public @Nullable Outgoing run(ServerCall call) throws Exception {
        @SuppressWarnings("unchecked") // read by this very codec
        I input = (I) Objects.requireNonNull(call.input());
        O output = handler.handle(new Call<>(call, input, outputCodec));
        return output == null ? null : call.core().answers().write(call, outputCodec, output);
    }
}
