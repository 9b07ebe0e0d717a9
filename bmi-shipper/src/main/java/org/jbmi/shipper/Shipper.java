package org.jbmi.shipper;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.client.ClientCore;
import org.jbmi.shipper.client.ClientSession;
import org.jbmi.shipper.client.SessionEnd;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Permission;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * The client half of the function shipper. It forwards typed calls to any number of servers. It
 * exposes memory that servers pull from or push into. Safe for use by any thread.
 *
 * <p><b>Progress.</b> A platform thread that waits for a call makes progress for the whole client.
 * A virtual thread leaves this to the client's own thread, {@code shipper-client}, if there is one.
 * When no other thread makes progress, {@code shipper-client} does so after some milliseconds. So
 * servers reach exposed memory, and futures complete, while the program sleeps or computes. This
 * thread does not keep the JVM alive. {@link ShipperBuilder#withoutThreads} is for programs that
 * want no thread.
 *
 * <p><b>Sessions.</b> The first call to a server opens a session with it. When the server dies or
 * closes, the calls under way end with the code by which BMI reports that. The next call opens a
 * new session.
 */
public final class Shipper implements AutoCloseable {
    private final ClientCore core;
    private final Ownership ownership;

    Shipper(ClientCore core) {
        this.core = core;
        this.ownership = new Ownership(core.pump().bmi());
    }

    /**
     * Makes a client with the default settings.
     *
     * @param bmi the messaging instance; it is retained until the client is closed
     * @return an open client
     */
    public static Shipper on(Bmi bmi) {
        return builder(bmi).client();
    }

    /**
     * Starts to describe a client or a server.
     *
     * @param bmi the messaging instance
     * @return a builder
     */
    public static ShipperBuilder builder(Bmi bmi) {
        return new ShipperBuilder(bmi);
    }

    /**
     * Names a function that servers offer. Its calls have the deadline of the knob {@code
     * shipper.deadlineMs}, by default 60 s. {@link RemoteFunction#withDeadline} gives another one;
     * zero or less there means no deadline.
     *
     * @param name the name under which it is registered there
     * @param input a shipped record
     * @param output a shipped record
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return the function, to be called any number of times
     * @throws BmiException with {@link ErrorCode#ENOSYS} if a record has no codec
     */
    public <I, O> RemoteFunction<I, O> function(String name, Class<I> input, Class<O> output) {
        return function(name, Codec.of(input), Codec.of(output), output);
    }

    /**
     * Names a function by its codecs, for records in packages that are closed to this module. Its
     * calls have the same deadline.
     *
     * @param name the name under which it is registered there
     * @param input the codec of its input
     * @param output the codec of its output
     * @param outputType what the output is
     * @param <I> the type of the input
     * @param <O> the type of the output
     * @return the function
     */
    public <I, O> RemoteFunction<I, O> function(
            String name, Codec<I> input, Codec<O> output, Class<O> outputType) {
        return new RemoteFunction<>(core, name, input, output, outputType);
    }

    /**
     * Lets servers use memory until the handle is closed; later transfers are refused. The segments
     * must be native memory of a shared or automatic arena, or views of a {@code byte[]}.
     *
     * <p>Until the handle is closed the program must not free the memory. During a call it must not
     * write the memory, and must not read it if servers may write. After the server has answered
     * the call it may do both, if no other call uses the handle. A call that was cancelled or ran
     * out of time may end here before its transfers.
     *
     * <p>The close waits for transfers under way up to {@code shipper.closeWaitMs}. After this time
     * it ends the sessions that still use the memory: their calls fail with {@link
     * ErrorCode#ECANCEL}. Then it waits for up to the same time once more. If transfers have not
     * ended even then, the close returns while they still use the memory.
     *
     * @param segments in order; servers see them as one sequence of bytes
     * @param permission what servers may do
     * @return the handle, to be sent in inputs of calls; its close revokes the access
     * @throws BmiException with {@link ErrorCode#EINVAL} for other memory, for read-only memory
     *     that is to be written, or if the client is closed
     */
    public BulkHandle expose(List<MemorySegment> segments, Permission permission) {
        var exposure = core.exposeForProgram(segments, permission);
        return new ExposedMemory(core, exposure, exposure.handle());
    }

    /**
     * Lets servers use one segment of memory.
     *
     * @param segment the memory
     * @param permission what servers may do
     * @return the handle
     */
    public BulkHandle expose(MemorySegment segment, Permission permission) {
        return expose(List.of(segment), permission);
    }

    /**
     * Opens a session with a server without a call, so that a server which gets a handle from
     * another one can reach this client.
     *
     * @param server the server
     * @param timeout the longest wait
     * @throws CallFailedException if no session could be opened. The code is {@link
     *     ErrorCode#EBUSY} if the server has reached its limit, and {@link ErrorCode#ETIMEDOUT} if
     *     it did not answer within the knob {@code shipper.connectTimeoutMs}. If the server was
     *     lost, the code says how. It is {@link ErrorCode#EAGAIN} after the timeout, and {@link
     *     ErrorCode#EINTR} if the thread is interrupted, whose flag stays set. In these two cases
     *     the session may still open
     */
    public void connect(PeerAddress server, Duration timeout) {
        connect(server, timeout, false);
    }

    /**
     * Opens a session for this client's bulk data, when calls go to another address of the same
     * server. For example, calls may use one method and bulk data another. When that session ends,
     * data moves over the session of the calls.
     *
     * @param server another address of the server
     * @param timeout the longest wait
     * @throws CallFailedException as {@link #connect}
     * @throws BmiException with {@link ErrorCode#EEXIST} if calls go to that address already
     */
    public void connectForBulk(PeerAddress server, Duration timeout) {
        connect(server, timeout, true);
    }

    private void connect(PeerAddress server, Duration timeout, boolean forBulk) {
        ClientSession session = core.connect(server, forBulk);
        if (!core.pump().await(session, Durations.nanos(timeout))) {
            throw Thread.currentThread().isInterrupted()
                    ? new CallFailedException(
                            ErrorCode.EINTR,
                            "The thread that waits for the server's welcome was interrupted.",
                            false)
                    : new CallFailedException(
                            ErrorCode.EAGAIN,
                            "No welcome from the server after " + Durations.text(timeout),
                            false);
        }
        SessionEnd ending = core.ending(session);
        if (ending != null) {
            throw new CallFailedException(ErrorCode.ofOutcome(ending.code()), ending.why(), false);
        }
    }

    /**
     * Lists the calls under way on a server, of all clients. The server answers even when no
     * further handler may run, unless its knob {@code shipper.introspection} is off.
     *
     * @param server the server
     * @param most how many calls to return, the oldest; at most 1000
     * @param timeout the longest wait
     * @return the calls, oldest first
     * @throws CallFailedException with {@link ErrorCode#ENOSYS} if introspection is off there
     */
    public List<CallUnderWay> underWay(PeerAddress server, int most, Duration timeout) {
        return function(
                        Introspection.UNDER_WAY,
                        Introspection.Question.class,
                        Introspection.Answer.class)
                .call(server, new Introspection.Question(most), timeout)
                .calls();
    }

    /**
     * Reads the counters of a server: calls, refusals, bytes and so on. The server answers as for
     * {@link #underWay}.
     *
     * @param server the server
     * @param timeout the longest wait
     * @return its counters
     * @throws CallFailedException with {@link ErrorCode#ENOSYS} if introspection is off there
     */
    public List<ServerCount> counts(PeerAddress server, Duration timeout) {
        return function(
                        Introspection.COUNTS,
                        Introspection.CountsQuestion.class,
                        Introspection.CountsAnswer.class)
                .call(server, new Introspection.CountsQuestion(), timeout)
                .counts();
    }

    /**
     * Waits for several calls.
     *
     * @param calls the calls
     * @param timeout the longest wait for all of them
     * @return true if all of them are over; {@code await} of each gives its outcome. False after
     *     the timeout, or if the thread is interrupted
     */
    public static boolean awaitAll(Collection<? extends ShippedCall<?>> calls, Duration timeout) {
        long endNs = System.nanoTime() + Durations.nanos(timeout);
        for (ShippedCall<?> call : calls) {
            if (!call.waitUntil(endNs)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Makes progress, for a client without threads.
     *
     * @param timeout the longest wait for something to happen
     */
    public void progress(Duration timeout) {
        core.pump().driveOnce(Durations.millis(timeout));
        core.pump().enter();
        core.pump().leave();
    }

    /**
     * Ends all calls with {@link ErrorCode#ECANCEL}, revokes all memory, and tells the servers.
     * Closing twice does nothing.
     */
    @Override
    public void close() {
        ownership.giveUp(core::close);
    }
}
