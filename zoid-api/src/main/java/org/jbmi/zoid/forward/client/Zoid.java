package org.jbmi.zoid.forward.client;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.RemoteFunction;
import org.jbmi.shipper.ShippedCall;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperBuilder;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jbmi.zoid.forward.wire.Attendance_InCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinInCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinOutCodec;
import org.jbmi.zoid.forward.wire.Attendance_OutCodec;
import org.jbmi.zoid.forward.wire.Forwarded;
import org.jbmi.zoid.forward.wire.Forwarded_InCodec;
import org.jbmi.zoid.forward.wire.Forwarded_OutCodec;
import org.jbmi.zoid.forward.wire.Names;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * The connection of a process to a ZOID server, used by generated client stubs. Safe for use by any
 * thread; each thread has its own last error.
 *
 * <p>By default a call that fails in the forwarding layer throws a {@link ZoidException}. With
 * {@link ZoidBuilder#withErrorCodes} it returns, and {@link #error} gives the error, as in C.
 */
public final class Zoid implements AutoCloseable {
    private static final Duration FOREVER = Duration.ofDays(10_000);

    private static final Duration ENROL_PATIENCE = Duration.ofSeconds(10);

    /** While a process joins it looks that often whether the server has refused it. */
    private static final Duration LOOK_PERIOD = Duration.ofMillis(50);

    private final Shipper shipper;
    private final PeerAddress server;
    private final RemoteFunction<Forwarded.In, Forwarded.Out> function;
    private final ShippedCall<Attendance.Out> attendance;
    private final Attendance.JoinOut who;
    private final long key;
    private final Launch launch;
    private final boolean throwing;
    private final @Nullable Duration callTimeout;
    private final Thread another = Thread.ofVirtual().unstarted(() -> {});
    private final ThreadLocal<Failure> last = ThreadLocal.withInitial(() -> Failure.NONE);
    private final LongAdder requests = new LongAdder();
    private final LongAdder sentBytes = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder copies = new LongAdder();
    private final LongAdder unaligned = new LongAdder();
    private final AtomicBoolean receives = new AtomicBoolean();
    private volatile boolean closed;

    /** The error of the last call of a thread. */
    private record Failure(ZoidError error, long excessBytes) {
        static final Failure NONE = new Failure(ZoidError.NONE, 0);
    }

    /**
     * What this client has done.
     *
     * @param requests how many requests it has sent
     * @param sentBytes how large they were
     * @param refusals how many calls it has refused itself, because they were too large
     * @param copies how many arrays were copied. Arrays without {@code zerocopy} are copied into a
     *     message and out of one. Arrays with {@code zerocopy} are copied only where other threads
     *     cannot use their memory, or where it is a heap array other than a {@code byte[]}
     * @param unaligned how many arrays with {@code zerocopy} did not begin at a multiple of 16
     *     bytes, in memory outside of the heap. They are not copied for this reason
     */
    public record Traffic(
            long requests, long sentBytes, long refusals, long copies, long unaligned) {}

    Zoid(Bmi bmi, String address, ZoidBuilder wishes) {
        this.launch = wishes.launch();
        this.throwing = wishes.isThrowing();
        this.callTimeout = wishes.callTimeout();
        ShipperBuilder builder = Shipper.builder(bmi).knob("shipper.deadlineMs", "0");
        this.shipper = wishes.hasThread() ? builder.client() : builder.withoutThreads().client();
        try {
            this.server = bmi.lookup(address);
            this.key = new SecureRandom().nextLong();
            this.attendance =
                    shipper.function(
                                    Names.ATTEND,
                                    Attendance_InCodec.INSTANCE,
                                    Attendance_OutCodec.INSTANCE,
                                    Attendance.Out.class)
                            .forward(
                                    server,
                                    new Attendance.In(
                                            key,
                                            launch.rank(),
                                            launch.size(),
                                            launch.job(),
                                            wishes.program()));
            this.who = join(wishes.connectTimeout());
            this.function =
                    shipper.function(
                            Names.CALL,
                            Forwarded_InCodec.INSTANCE,
                            Forwarded_OutCodec.INSTANCE,
                            Forwarded.Out.class);
        } catch (RuntimeException | Error e) {
            shipper.close();
            throw e;
        }
    }

    /** Waits until the server has taken the process in, or has refused it. */
    private Attendance.JoinOut join(Duration timeout) {
        ShippedCall<Attendance.JoinOut> join =
                shipper.function(
                                Names.JOIN,
                                Attendance_JoinInCodec.INSTANCE,
                                Attendance_JoinOutCodec.INSTANCE,
                                Attendance.JoinOut.class)
                        .withDeadline(timeout.isPositive() ? timeout : Duration.ofNanos(1))
                        .forward(server, new Attendance.JoinIn(key));
        long beginNs = System.nanoTime();
        long mostNs = TimeUnit.NANOSECONDS.convert(timeout);
        boolean waits = true;
        while (waits) {
            boolean isOver = Shipper.awaitAll(List.of(join), LOOK_PERIOD);
            waits =
                    !isOver
                            && !attendance.isDone()
                            && !Thread.currentThread().isInterrupted()
                            && System.nanoTime() - beginNs < mostNs;
        }
        checkAttendance();
        Attendance.JoinOut answer;
        try {
            answer = join.await(timeout);
        } catch (CallFailedException e) {
            throw failed(e);
        }
        checkError(answer.error());
        return answer;
    }

    /** If the server refuses the process, it ends the call of the attendance at once. */
    private void checkAttendance() {
        if (attendance.isDone()) {
            try {
                checkError(attendance.await(Duration.ZERO).error());
            } catch (CallFailedException e) {
                throw failed(e);
            }
        }
    }

    private static void checkError(int number) {
        if (number != 0) {
            throw new ZoidException(known(number), 0, "The server does not take us in.");
        }
    }

    /**
     * Connects with the default settings; the rank comes from the environment.
     *
     * @param bmi the instance that it uses; it is retained until the close
     * @param address where the server is, for example {@code zoid://}
     * @return an open client
     * @throws ZoidException if there is no server of ZOID, if it does not answer, or if it refuses
     *     the process
     * @throws org.jbmi.BmiException if the address is wrong or its host cannot be reached, see
     *     {@link Bmi#lookup}
     */
    public static Zoid connect(Bmi bmi, String address) {
        return builder(bmi).connect(address);
    }

    /**
     * Starts to describe a client.
     *
     * @param bmi what it talks over
     * @return a builder
     */
    public static ZoidBuilder builder(Bmi bmi) {
        return new ZoidBuilder(bmi);
    }

    /**
     * How many processes the job has.
     *
     * @return 1 and up; -1 if this process has no rank
     */
    public int jobSize() {
        return launch.size();
    }

    /**
     * The rank of this process.
     *
     * @return 0 and up; -1 if it has none
     */
    public int myRank() {
        return launch.rank();
    }

    /**
     * The number of this process at the server.
     *
     * @return as {@code callingProcess} tells it to plug-ins
     */
    public int processId() {
        return who.process();
    }

    /**
     * The error of this thread's last call in the forwarding layer.
     *
     * @return 0, or the number of a {@link ZoidError}
     */
    public int error() {
        return last.get().error().number();
    }

    /**
     * By how much this thread's last call was too large, in either direction.
     *
     * @return bytes; 0 if {@link #error} is not E2BIG
     */
    public long excessiveSize() {
        return last.get().excessBytes();
    }

    /**
     * The largest request or reply, with its header.
     *
     * @return bytes
     */
    public int limitBytes() {
        return who.limitBytes();
    }

    /**
     * The size above which a request waits for its turn at the server.
     *
     * @return bytes; 0 for never
     */
    public int thresholdBytes() {
        return who.thresholdBytes();
    }

    /**
     * What this client has done.
     *
     * @return the counters as they are now
     */
    public Traffic traffic() {
        return new Traffic(
                requests.sum(), sentBytes.sum(), refusals.sum(), copies.sum(), unaligned.sum());
    }

    /** For generated code: an array is copied. */
    public void countCopy() {
        copies.increment();
    }

    /**
     * Receives the files that the server broadcasts ({@code zoid f2cn}), in a virtual thread, until
     * the close or until the server has gone. It checks each file and then renames it. A client
     * receives into one folder; after any other exception or error than an {@link
     * IllegalStateException} it may try again.
     *
     * @param folder where their paths begin; links in it are followed, so none of them may lead
     *     outside
     * @throws ZoidException if the server does not know this process any more, or does not answer
     *     within 10 s
     * @throws IllegalStateException if this client receives broadcasts already
     */
    public void receiveBroadcasts(Path folder) {
        if (receives.getAndSet(true)) {
            throw new IllegalStateException("The client receives broadcasts already.");
        }
        try {
            // First what takes memory: the server waits for a process that has enrolled.
            BroadcastReceiver receiver =
                    new BroadcastReceiver(shipper, server, who.process(), key, folder);
            Thread thread =
                    Thread.ofVirtual()
                            .name("zoid-broadcast")
                            .unstarted(() -> receiver.run(shipper));
            enrol();
            thread.start();
        } catch (RuntimeException | Error e) {
            receives.set(false);
            throw e;
        }
    }

    private void enrol() {
        try {
            Attendance.Out enrolled =
                    shipper.function(
                                    Names.ENROL,
                                    Attendance_JoinInCodec.INSTANCE,
                                    Attendance_OutCodec.INSTANCE,
                                    Attendance.Out.class)
                            .call(server, new Attendance.JoinIn(key), ENROL_PATIENCE);
            if (enrolled.error() != 0) {
                throw new ZoidException(known(enrolled.error()), 0, "The server knows us no more.");
            }
        } catch (CallFailedException e) {
            throw failed(e);
        }
    }

    /**
     * Opens a link for IP packets to the server's node and through it.
     *
     * @return a link, to be closed before this client
     * @throws ZoidException if the server takes no packets of this process
     */
    public PacketLink packets() {
        try {
            return new PacketLink(shipper, server, who.process(), key);
        } catch (CallFailedException e) {
            throw failed(e);
        }
    }

    private boolean fail(ZoidError error, long excessBytes, String message) {
        last.set(new Failure(error, excessBytes));
        if (throwing) {
            throw new ZoidException(error, excessBytes, message);
        }
        return false;
    }

    /**
     * For generated code: ends a call whose request is too large, before anything was sent.
     *
     * @param excessBytes by how much
     * @param words what was called
     * @return false, if errors are told by codes
     */
    public boolean refuse(long excessBytes, String words) {
        refusals.increment();
        return fail(
                ZoidError.E2BIG,
                excessBytes,
                words
                        + ": the request is "
                        + excessBytes
                        + " bytes larger than a message may be; nothing was sent.");
    }

    /**
     * For generated code: sends a request and waits for its reply.
     *
     * @param request what to send
     * @return the results; null if the call failed, and errors are told by codes
     * @throws ZoidException if the call failed, and errors are thrown
     */
    public byte @Nullable [] forward(Request request) {
        if (closed) {
            throw new IllegalStateException("The client was closed.");
        }
        requests.increment();
        sentBytes.add(request.bytes());
        try (Exposures exposures = new Exposures(shipper, another, copies, unaligned)) {
            boolean waits =
                    who.thresholdBytes() > 0
                            && Forwarded.HEADER_BYTES + request.body().length
                                    > who.thresholdBytes();
            Optional<BulkHandle> body =
                    waits
                            ? exposures.in(List.of(MemorySegment.ofArray(request.body())))
                            : Optional.empty();
            Forwarded.Out reply =
                    outcome(
                            new Forwarded.In(
                                    who.process(),
                                    key,
                                    request.plugin(),
                                    request.function(),
                                    request.signature(),
                                    waits ? new byte[0] : request.body(),
                                    body,
                                    exposures.in(request.in()),
                                    exposures.out(request.out())),
                            request.words());
            if (reply == null) {
                return null;
            }
            exposures.copyBack();
            return reply.body();
        }
    }

    private Forwarded.@Nullable Out outcome(Forwarded.In request, String words) {
        Forwarded.Out reply;
        ShippedCall<Forwarded.Out> call = function.forward(server, request);
        try {
            reply = call.await(callTimeout == null ? FOREVER : callTimeout);
        } catch (CallFailedException e) {
            call.cancel();
            fail(error(e), 0, words + ": " + e.why());
            return null;
        }
        if (reply.error() != 0) {
            fail(known(reply.error()), reply.excessBytes(), words + ": " + reply.text());
            return null;
        }
        last.set(Failure.NONE);
        return reply;
    }

    private static ZoidError known(int number) {
        return Objects.requireNonNullElse(ZoidError.of(number), ZoidError.EIO);
    }

    private static ZoidException failed(CallFailedException e) {
        ZoidException failure = new ZoidException(error(e), 0, e.why());
        failure.initCause(e);
        return failure;
    }

    private static ZoidError error(CallFailedException e) {
        return switch (e.code()) {
            case ENOSYS -> ZoidError.ENOSYS;
            case ENOMEM -> ZoidError.ENOMEM;
            case EINTR -> ZoidError.EINTR;
            case ETRYAGAIN -> ZoidError.EAGAIN;
            case EPROTOTYPE -> ZoidError.EPROTOTYPE;
            case EAGAIN, ETIMEDOUT -> ZoidError.ETIMEDOUT;
            case ECANCEL -> ZoidError.ECANCELED;
            case EREMOTE -> ZoidError.EREMOTEIO;
            case EPIPE, ECONNRESET, EHOSTDOWN, ECONNREFUSED -> ZoidError.ECONNRESET;
            default -> ZoidError.EIO;
        };
    }

    /**
     * Disconnects from the server: calls under way end with an error, and plug-ins hear of the end
     * of the process. Closing twice does nothing.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            attendance.cancel();
        } finally {
            shipper.close();
        }
    }
}
