package org.jbmi.shipper;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.server.ServerCore;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * The server half of the function shipper: runs the functions that clients call, over every address
 * on which its instance listens. Safe for use by any thread.
 *
 * <p><b>Threads.</b> One daemon thread, {@code shipper-server}, takes calls in; each handler runs
 * in a virtual thread of its own, unless it is registered as short. How many run at a time, in all
 * and for each client, are knobs; others wait, clients taking turns, and beyond a client's share
 * calls are refused with {@link ErrorCode#ETRYAGAIN}. Without threads ({@link
 * ShipperBuilder#withoutThreads}) the program calls {@link #process}, and handlers run there.
 *
 * <p><b>Answers.</b> Every call is answered once: by its handler, by a {@link DeferredAnswer}, or
 * by the server when the handler throws, returns nothing, or nobody wants the answer any more.
 */
public final class ShipperServer implements AutoCloseable {
    private final ServerCore core;
    private final Ownership ownership;

    ShipperServer(ServerCore core) {
        this.core = core;
        this.ownership = new Ownership(core.pump().bmi());
        if (core.hasIntrospection()) {
            Introspection.register(core);
        }
    }

    /**
     * Makes a server with the default settings.
     *
     * @param bmi what it listens on; it is retained until the server is closed
     * @return a server without functions, to be started
     */
    public static ShipperServer on(Bmi bmi) {
        return Shipper.builder(bmi).server();
    }

    /**
     * Offers a function.
     *
     * @param name under which clients call it
     * @param input a shipped record
     * @param output a shipped record
     * @param handler what it does
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return this
     * @throws BmiException with {@link ErrorCode#EEXIST} if the name is taken, or has the same
     *     number as another one; {@link ErrorCode#ENOSYS} if a record has no codec
     */
    public <I, O> ShipperServer register(
            String name, Class<I> input, Class<O> output, CallHandler<I, O> handler) {
        return register(name, Codec.of(input), Codec.of(output), handler);
    }

    /**
     * Offers a function by its codecs, for records in packages that are closed to this module.
     *
     * @param name under which clients call it
     * @param input the codec of its input
     * @param output the codec of its output
     * @param handler what it does
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return this
     */
    public <I, O> ShipperServer register(
            String name, Codec<I> input, Codec<O> output, CallHandler<I, O> handler) {
        return register(name, input, output, handler, null);
    }

    /**
     * Offers a function whose handler takes microseconds and waits for nothing. It may run in the
     * thread that takes calls in, without a thread of its own: a call costs less and is answered
     * sooner, before the message that brought it is freed.
     *
     * <p>What is promised of handlers holds, but for two things. While it runs no other call comes
     * in, no transfer moves and no deadline is noticed here: one that hangs all the same holds the
     * server up for some milliseconds, until another thread takes its place. And waiting for a
     * {@link Transfer} in it fails with {@link ErrorCode#EDEADLK}; it may be started and left to a
     * {@link DeferredAnswer}.
     *
     * @param name under which clients call it
     * @param input a shipped record
     * @param output a shipped record
     * @param handler what it does
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return this
     * @throws BmiException as {@link #register(String, Class, Class, CallHandler)}
     */
    public <I, O> ShipperServer registerShort(
            String name, Class<I> input, Class<O> output, CallHandler<I, O> handler) {
        return registerShort(name, Codec.of(input), Codec.of(output), handler);
    }

    /**
     * Offers a function by its codecs, whose handler takes microseconds and waits for nothing, as
     * {@link #registerShort(String, Class, Class, CallHandler)} says.
     *
     * @param name under which clients call it
     * @param input the codec of its input
     * @param output the codec of its output
     * @param handler what it does
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return this
     */
    public <I, O> ShipperServer registerShort(
            String name, Codec<I> input, Codec<O> output, CallHandler<I, O> handler) {
        return registerShort(name, input, output, handler, each -> true);
    }

    /**
     * Offers a function whose handler takes microseconds and waits for nothing in some of its
     * calls, as {@link #registerShort(String, Class, Class, CallHandler)} says; in all others it
     * has a thread of its own.
     *
     * @param name under which clients call it
     * @param input the codec of its input
     * @param output the codec of its output
     * @param handler what it does
     * @param isShort which calls those are; asked by the thread that takes calls in, when a call
     *     comes and again when its turn has come, so it must be quick itself
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return this
     */
    public <I, O> ShipperServer registerShort(
            String name,
            Codec<I> input,
            Codec<O> output,
            CallHandler<I, O> handler,
            Predicate<? super I> isShort) {
        return register(name, input, output, handler, isShort);
    }

    private <I, O> ShipperServer register(
            String name,
            Codec<I> input,
            Codec<O> output,
            CallHandler<I, O> handler,
            @Nullable Predicate<? super I> isShort) {
        if (name.startsWith(Introspection.RESERVED)) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "Names that begin with " + Introspection.RESERVED + " are the library's own.");
        }
        core.functions().register(new RegisteredFunction<>(name, input, output, handler, isShort));
        return this;
    }

    /**
     * Begins to take calls in. What clients sent before waits until then.
     *
     * @return this
     */
    public ShipperServer start() {
        core.start();
        return this;
    }

    /**
     * Offers a function no more; calls of it that are under way go on.
     *
     * @param name which
     * @return whether there was one
     */
    public boolean unregister(String name) {
        return core.functions().unregister(name);
    }

    /**
     * The calls under way here.
     *
     * @return a copy, oldest first
     */
    public List<CallUnderWay> underWay() {
        return Introspection.list(core, Integer.MAX_VALUE);
    }

    /**
     * Takes calls in and runs their handlers in this thread, for a server without threads. Several
     * threads may do so at a time.
     *
     * @param timeout the longest wait for the first call
     * @return how many handlers ran
     */
    public int process(Duration timeout) {
        core.start();
        return core.process(Durations.millis(timeout));
    }

    /**
     * Tells the clients, abandons the calls under way, waits for their handlers for the time of the
     * knob {@code shipper.closeWaitMs}, and closes. Closing twice does nothing.
     */
    @Override
    public void close() {
        ownership.giveUp(core::close);
    }
}
