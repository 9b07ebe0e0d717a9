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
 * <p><b>Threads.</b> One thread, {@code shipper-server}, receives calls; it does not keep the JVM
 * alive. Each handler runs in a virtual thread of its own, unless it is registered as short. If a
 * short handler does not return within milliseconds, the thread {@code shipper-server-watchdog}
 * starts another thread that receives calls. Without threads ({@link
 * ShipperBuilder#withoutThreads}) the program calls {@link #process}, and handlers run there.
 *
 * <p><b>Limits.</b> Knobs limit how many handlers run at a time, in all and for each client.
 * Further calls wait, and the clients take turns. The server refuses a call with {@link
 * ErrorCode#ETRYAGAIN} if its client has as many calls as it may have, or if too many calls wait.
 *
 * <p><b>Answers.</b> Every call is answered once: by its handler, by a {@link DeferredAnswer}, or
 * by the server. The server answers when the handler throws or returns null, or when the client
 * wants no answer any more.
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
     * @param bmi the messaging instance; it is retained until the server is closed
     * @return a server without functions, to be started
     */
    public static ShipperServer on(Bmi bmi) {
        return Shipper.builder(bmi).server();
    }

    /**
     * Registers a function.
     *
     * @param name under which clients call it
     * @param input a shipped record
     * @param output a shipped record
     * @param handler runs its calls
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return this
     * @throws BmiException with {@link ErrorCode#EEXIST} if the name is taken, or has the same
     *     number as another one. With {@link ErrorCode#EINVAL} if the name begins with {@code
     *     shipper.}. With {@link ErrorCode#ENOSYS} if a record has no codec
     */
    public <I, O> ShipperServer register(
            String name, Class<I> input, Class<O> output, CallHandler<I, O> handler) {
        return register(name, Codec.of(input), Codec.of(output), handler);
    }

    /**
     * Registers a function by its codecs, for records in packages that are closed to this module.
     *
     * @param name under which clients call it
     * @param input the codec of its input
     * @param output the codec of its output
     * @param handler runs its calls
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return this
     */
    public <I, O> ShipperServer register(
            String name, Codec<I> input, Codec<O> output, CallHandler<I, O> handler) {
        return register(name, input, output, handler, null);
    }

    /**
     * Registers a function whose handler takes microseconds and never waits. It may run in the
     * thread that receives calls: a call costs less and is answered sooner.
     *
     * <p>It differs from other handlers in two ways. First, while it runs, the server receives no
     * call, moves no transfer and checks no deadline. If the handler hangs, another thread replaces
     * this one after some milliseconds. Second, waiting for a {@link Transfer} in the handler fails
     * with {@link ErrorCode#EDEADLK}. The handler may start a transfer and use a {@link
     * DeferredAnswer}.
     *
     * @param name under which clients call it
     * @param input a shipped record
     * @param output a shipped record
     * @param handler runs its calls
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
     * Registers a short function by its codecs, see {@link #registerShort(String, Class, Class,
     * CallHandler)}.
     *
     * @param name under which clients call it
     * @param input the codec of its input
     * @param output the codec of its output
     * @param handler runs its calls
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return this
     */
    public <I, O> ShipperServer registerShort(
            String name, Codec<I> input, Codec<O> output, CallHandler<I, O> handler) {
        return registerShort(name, input, output, handler, each -> true);
    }

    /**
     * Registers a function of which some calls are short, see {@link #registerShort(String, Class,
     * Class, CallHandler)}; the others have a thread of their own.
     *
     * @param name under which clients call it
     * @param input the codec of its input
     * @param output the codec of its output
     * @param handler runs its calls
     * @param isShort tells which calls are short. The server runs this test up to three times for a
     *     call, under a lock. So the test must be quick, must not block, and must always give the
     *     same result. A call for which it throws is not short
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
        core.functions()
                .register(new RegisteredFunction<>(name, input, output, handler, isShort, false));
        return this;
    }

    /**
     * Begins to receive calls. Earlier messages of clients wait until then.
     *
     * @return this
     */
    public ShipperServer start() {
        core.start();
        return this;
    }

    /**
     * Removes a function; calls under way go on.
     *
     * @param name its name
     * @return whether there was one
     */
    public boolean unregister(String name) {
        return core.functions().unregister(name);
    }

    /**
     * The oldest calls under way here, at most 1000.
     *
     * @return a copy, oldest first
     */
    public List<CallUnderWay> underWay() {
        return Introspection.list(core, Integer.MAX_VALUE);
    }

    /**
     * Receives calls and runs their handlers in this thread, for a server without threads. Several
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
     * Says goodbye to the clients, abandons the calls under way, waits up to {@code
     * shipper.closeWaitMs} for their handlers, and closes. Meanwhile it takes no call, and refuses
     * new clients with {@link ErrorCode#EPIPE}. Closing twice does nothing.
     */
    @Override
    public void close() {
        ownership.giveUp(core::close);
    }
}
