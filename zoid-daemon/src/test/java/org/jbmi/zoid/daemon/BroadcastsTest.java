package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.CallHandler;
import org.jbmi.shipper.ShippedCall;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jbmi.zoid.forward.wire.Attendance_InCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinInCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinOutCodec;
import org.jbmi.zoid.forward.wire.Attendance_OutCodec;
import org.jbmi.zoid.forward.wire.Broadcasting;
import org.jbmi.zoid.forward.wire.Broadcasting_InCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_OutCodec;
import org.jbmi.zoid.forward.wire.Names;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Who receives broadcasts, and for how long. */
@Timeout(60)
class BroadcastsTest {
    private static final long KEY = 7;

    @TempDir Path folder;

    private final CountDownLatch end = new CountDownLatch(1);

    /** Every broadcast would wait for such a process. */
    @Test
    void aProcessThatHasLeftDoesNotBecomeAReceiver() {
        Processes processes = new Processes(1);
        Broadcasts broadcasts =
                new Broadcasts(processes, new Traffic().broadcast(), Duration.ofSeconds(1));
        ZoidProcess process =
                processes.come(new Attendance.In(KEY, -1, -1, "", List.of()), "address");
        assertThat(process).isNotNull();
        processes.admit(process);
        assertThat(broadcasts.add(process)).isTrue();
        processes.leave(process);
        broadcasts.forget(process);
        assertThat(broadcasts.add(process)).isFalse();
    }

    /**
     * As a server does it for a client with too many calls, without memory, or of a slow client.
     */
    @Test
    void aReceiverThatIsRefusedForNowAsksAgain() throws Exception {
        Queue<ErrorCode> refusals =
                new ConcurrentLinkedQueue<>(
                        List.of(ErrorCode.ETRYAGAIN, ErrorCode.ENOMEM, ErrorCode.ETIMEDOUT));
        List<String> errors = new CopyOnWriteArrayList<>();
        CountDownLatch taken = new CountDownLatch(1);
        receive(
                folder,
                call -> {
                    errors.add(call.input().error());
                    ErrorCode refusal = refusals.poll();
                    if (refusal != null) {
                        throw new BmiException(refusal, "Not now.");
                    }
                    if (call.input().next() == 1) {
                        taken.countDown();
                        end.await();
                    }
                    return new Broadcasting.Out(1, "/file", 0, 0, true, sha256OfNothing());
                },
                taken);
        assertThat(folder.resolve("file")).isEmptyFile();
        assertThat(errors).hasSize(5);
        assertThat(errors.get(2)).as("a refusal concerns no file").isEmpty();
        assertThat(errors.get(3)).contains("Not now.").doesNotContain("Call of");
        assertThat(errors.get(4)).as("the file came").isEmpty();
    }

    private static Path path(InvocationHandler answers) {
        return (Path)
                Proxy.newProxyInstance(
                        Path.class.getClassLoader(), new Class<?>[] {Path.class}, answers);
    }

    /** Its text needs memory that is not there. */
    private static final class StillFull extends OutOfMemoryError {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new OutOfMemoryError("planted by the test");
        }
    }

    /** The same of a failure that is none of memory. */
    private static final class Wordless extends IllegalStateException {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new OutOfMemoryError("planted by the test");
        }
    }

    /** The server would wait for it at each broadcast. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReceiverThatRunsOutOfMemoryGoesOn(boolean isWordless) throws Exception {
        Path full =
                path(
                        (self, method, _) -> {
                            if (method.getName().equals("resolve")) {
                                throw isWordless ? new Wordless() : new StillFull();
                            }
                            return self; // absolute and normal already
                        });
        List<String> errors = new CopyOnWriteArrayList<>();
        CountDownLatch asksAgain = new CountDownLatch(1);
        receive(
                full,
                call -> {
                    if (call.input().round() == 1) {
                        errors.add(call.input().error());
                        asksAgain.countDown();
                        end.await();
                    }
                    return new Broadcasting.Out(1, "/file", 0, 0, true, sha256OfNothing());
                },
                asksAgain);
        assertThat(errors).containsExactly("The receiver failed. Its heap may be full.");
    }

    @Test
    void aClientThatCouldNotStartToReceiveMayTryAgain() {
        Path full =
                path(
                        (_, _, _) -> {
                            throw new OutOfMemoryError("planted by the test");
                        });
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                Zoid zoid = setup.client(Launch.NONE)) {
            assertThatThrownBy(() -> zoid.receiveBroadcasts(full))
                    .isInstanceOf(OutOfMemoryError.class);
            zoid.receiveBroadcasts(folder);
        }
    }

    /** A file that came with a wrong checksum, or whose end does not come. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReceiverDropsWhatIsOfNoUse(boolean isAborted) throws Exception {
        List<String> parts = new CopyOnWriteArrayList<>();
        CountDownLatch over = new CountDownLatch(1);
        receive(
                folder,
                call -> {
                    Broadcasting.In in = call.input();
                    boolean isFirst = in.round() == 0;
                    if (!isFirst && (in.next() == 0 || !in.error().isEmpty())) {
                        parts.addAll(parts(folder));
                        over.countDown();
                        end.await();
                    }
                    return new Broadcasting.Out(
                            1,
                            "/file",
                            isFirst ? 0 : Broadcasting.ABORTED,
                            0,
                            !(isFirst && isAborted),
                            new byte[32]);
                },
                over);
        assertThat(parts).isEmpty();
        assertThat(folder.resolve("file")).doesNotExist();
    }

    private static byte[] sha256OfNothing() throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-256").digest();
    }

    /** The files that a receiver has begun. */
    private static List<String> parts(Path folder) {
        String[] names = folder.toFile().list();
        return names == null
                ? List.of()
                : Arrays.stream(names).filter(name -> name.startsWith(".zoid")).toList();
    }

    /** Receives from a server that answers as given, until something has happened. */
    private void receive(
            Path into,
            CallHandler<Broadcasting.In, Broadcasting.Out> answers,
            CountDownLatch happened)
            throws Exception {
        LoopbackHub hub = new LoopbackHub();
        try (Bmi serverBmi =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .open();
                ShipperServer server = Shipper.builder(serverBmi).server();
                Bmi clientBmi = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            server.register(
                    Names.ATTEND,
                    Attendance_InCodec.INSTANCE,
                    Attendance_OutCodec.INSTANCE,
                    _ -> {
                        end.await();
                        return new Attendance.Out(0);
                    });
            server.register(
                    Names.JOIN,
                    Attendance_JoinInCodec.INSTANCE,
                    Attendance_JoinOutCodec.INSTANCE,
                    _ -> new Attendance.JoinOut(0, 1, 1000, 0));
            server.register(
                    Names.ENROL,
                    Attendance_JoinInCodec.INSTANCE,
                    Attendance_OutCodec.INSTANCE,
                    _ -> new Attendance.Out(0));
            server.register(
                    Names.RECEIVE,
                    Broadcasting_InCodec.INSTANCE,
                    Broadcasting_OutCodec.INSTANCE,
                    answers);
            server.start();
            try (Zoid zoid =
                    Zoid.builder(clientBmi).launch(Launch.NONE).connect("loopback://server")) {
                zoid.receiveBroadcasts(into);
                happened.await();
            } finally {
                end.countDown();
            }
        }
    }

    /** Two receivers of one client would take each other's chunks. */
    @Test
    void aClientReceivesOnceOnly() {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                Zoid zoid = setup.client(Launch.NONE)) {
            zoid.receiveBroadcasts(folder);
            assertThatThrownBy(() -> zoid.receiveBroadcasts(folder))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    /** Another user may run a program that a script of the server has copied. */
    @Test
    void theCopyHasThePermissionsOfANewFile() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "text");
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                ZoidAdmin admin = ZoidAdmin.of(setup.clientBmi, setup.address());
                Zoid zoid = setup.client(Launch.NONE)) {
            zoid.receiveBroadcasts(folder);
            assertThat(admin.broadcast(input.toString(), "/x").trouble()).isEmpty();
            assertThat(Files.getPosixFilePermissions(folder.resolve("x")))
                    .isEqualTo(Files.getPosixFilePermissions(input));
        }
    }

    /** The server would keep it, and the answer would have it for each receiver. */
    @Test
    void ofALongErrorTheBeginningIsTold() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "text");
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                ZoidAdmin admin = ZoidAdmin.of(setup.clientBmi, setup.address());
                BulkHandle into =
                        setup.shipper.expose(
                                MemorySegment.ofArray(new byte[4096]), Permission.WRITE)) {
            Attendee receiver = Attendee.enrolled(setup);
            CompletableFuture<ZoidAdmin.Broadcast> done = broadcast(admin, input);
            Broadcasting.Out chunk =
                    ask(setup, receiver, new Asked(0, 0, ""), into).await(DaemonSetup.SOON);
            assertThat(chunk.bytes()).isEqualTo(4);
            String error = "x".repeat(399) + "\uD83D\uDE00".repeat(1 << 19); // no half of a pair
            Asked failed = new Asked(chunk.round(), 1, error);
            ShippedCall<Broadcasting.Out> next = ask(setup, receiver, failed, into);
            assertThat(done.get(50, TimeUnit.SECONDS).trouble())
                    .endsWith("xxx")
                    .hasSizeLessThan(1000);
            next.cancel();
            receiver.attendance().cancel();
        }
    }

    private record Asked(long round, long next, String error) {}

    private static ShippedCall<Broadcasting.Out> ask(
            DaemonSetup setup, Attendee receiver, Asked what, BulkHandle into) {
        return setup.call(
                Names.RECEIVE,
                Broadcasting_InCodec.INSTANCE,
                Broadcasting_OutCodec.INSTANCE,
                Broadcasting.Out.class,
                new Broadcasting.In(
                        receiver.number(),
                        receiver.key(),
                        what.round(),
                        what.next(),
                        what.error(),
                        into));
    }

    private static CompletableFuture<ZoidAdmin.Broadcast> broadcast(ZoidAdmin admin, Path input) {
        return CompletableFuture.supplyAsync(
                () -> admin.broadcast(input.toString(), "/x"), Thread::startVirtualThread);
    }

    /** One that asks for nothing holds up the sender until the file has become shorter. */
    @Test
    void afterABroadcastThatFailsNoReceiverKeepsAPartOfTheFile() throws Exception {
        Path input = folder.resolve("input");
        Path node = folder.resolve("node");
        Files.write(input, new byte[3 * Broadcasting.CHUNK_BYTES]);
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                ZoidAdmin admin = ZoidAdmin.of(setup.clientBmi, setup.address());
                Zoid good = setup.client(Launch.NONE)) {
            good.receiveBroadcasts(node);
            Attendee silent = Attendee.enrolled(setup);
            CompletableFuture<ZoidAdmin.Broadcast> done = broadcast(admin, input);
            DaemonSetup.await(() -> !parts(node).isEmpty());
            Files.write(input, new byte[0]);
            silent.attendance().cancel();
            assertThat(done.get(50, TimeUnit.SECONDS).trouble()).contains("It became shorter.");
            DaemonSetup.await(() -> parts(node).isEmpty());
            Files.writeString(input, "text");
            DaemonSetup.await(() -> setup.daemon.processCount() == 1);
            assertThat(admin.broadcast(input.toString(), "/x"))
                    .isEqualTo(new ZoidAdmin.Broadcast(1, 4, ""));
            assertThat(node.resolve("x")).hasContent("text");
        }
    }

    /** The server joins what several receivers say. */
    @Test
    void whyAFileCannotBeWrittenIsASentence() {
        assertThat(Broadcasting.why(new IOException("No space left on device")))
                .isEqualTo("No space left on device.");
        assertThat(Broadcasting.why(new ClosedByInterruptException()))
                .isEqualTo("java.nio.channels.ClosedByInterruptException.");
        assertThat(Broadcasting.why(new InvalidPathException("a\0b", "Nul character not allowed")))
                .isEqualTo("Nul character not allowed: a\0b.");
        assertThat(Broadcasting.why(new IOException("It is so."))).isEqualTo("It is so.");
    }
}
