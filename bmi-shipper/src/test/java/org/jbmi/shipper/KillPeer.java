package org.jbmi.shipper;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.observe.Counter;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Die;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Who dies: a client that calls for ever, a server that ends itself in a call, or the daemon. */
public final class KillPeer {
    static final int BYTES = 24 << 20;
    private static final int LOAD_BYTES = 8 << 20;

    /** Where in a call somebody dies. */
    enum Step {
        /** The hello was sent, and no welcome comes. */
        HELLO,
        /** A large input is on its way. */
        INPUT,
        /** The handler runs. */
        HANDLER,
        PULLING,
        PUSHING,
        /** The handler has returned without an answer. */
        DEFERRED,
        /** A large output is on its way. */
        OUTPUT,
        /** The answer is under way, or there. */
        ANSWERED
    }

    private KillPeer() {}

    static BmiBuilder builder(String method, Path folder) {
        BmiBuilder builder = Bmi.builder();
        if (method.equals("zoid")) {
            builder.knob("zoid.runtimeDirectory", folder.toString())
                    .knob("zoid.host", "embedded")
                    .knob("zbmi.totalBytes", "128m");
        }
        return builder;
    }

    static Bmi listen(String method, Path folder) {
        return builder(method, folder)
                .listen(method.equals("zoid") ? "zoid://" : "tcp://127.0.0.1:0")
                .open();
    }

    static String address(String method, Bmi server) {
        return method.equals("zoid")
                ? "zoid://"
                : "tcp://127.0.0.1:" + server.getOption(TcpOptions.PORT);
    }

    /**
     * Role, method, folder, and then the client's address and step, the server's step, or nothing.
     */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[2]);
        switch (args[0]) {
            case "client" -> callForEver(args[1], folder, args[3], Step.valueOf(args[4]));
            case "daemon" -> host(folder);
            default -> serve(args[1], folder, Step.valueOf(args[3]));
        }
    }

    static byte[] load(Step step) {
        return new byte[step == Step.INPUT ? LOAD_BYTES : 1];
    }

    private static void callForEver(String method, Path folder, String address, Step step) {
        Bmi bmi = builder(method, folder).open();
        Shipper shipper = Shipper.on(bmi);
        PeerAddress server = bmi.lookup(address);
        RemoteFunction<Die, Bytes> die = shipper.function("die", Die.class, Bytes.class);
        BulkHandle data =
                shipper.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ_WRITE);
        while (true) {
            ShippedCall<Bytes> call = die.forward(server, new Die(data, load(step)));
            System.out.println("ready to die");
            System.out.flush();
            call.await(Duration.ofSeconds(60));
        }
    }

    /**
     * Runs the function in which somebody dies.
     *
     * @param kill ends that process
     * @param told hears what became of a transfer, and of an answer that was put off
     */
    static @Nullable Bytes dieIn(
            Step step, Call<Die, Bytes> call, Runnable kill, Consumer<String> told) {
        List<MemorySegment> memory = List.of(call.lease(BYTES).segment());
        BulkHandle data = call.input().data();
        switch (step) {
            case HANDLER -> kill.run();
            case PULLING -> move(call.startPull(data, 0, memory, 0, BYTES), kill, told);
            case PUSHING -> move(call.startPush(data, 0, memory, 0, BYTES), kill, told);
            case DEFERRED -> {
                DeferredAnswer<Bytes> answer = call.defer();
                kill.run();
                while (!answer.isAbandoned()) {
                    Thread.onSpinWait();
                }
                told.accept(answer.complete(new Bytes(new byte[1])) ? "answered" : "abandoned");
                return null;
            }
            case ANSWERED -> Thread.startVirtualThread(kill);
            default -> {} // dies before it, or by its watch
        }
        return new Bytes(new byte[step == Step.OUTPUT ? LOAD_BYTES : 1]);
    }

    private static void move(Transfer transfer, Runnable kill, Consumer<String> told) {
        kill.run();
        try {
            transfer.await();
            told.accept("moved");
        } catch (BmiException e) {
            told.accept(e.code().name());
            throw e;
        }
    }

    /** Kills when the first bytes of a large input or output have moved. */
    static void watch(Step step, Bmi server, Runnable kill) {
        if (step != Step.INPUT && step != Step.OUTPUT) {
            return;
        }
        Counter moved =
                server.counters()
                        .find(
                                step == Step.INPUT
                                        ? "shipper.server.pulledBytes"
                                        : "shipper.server.pushedBytes");
        long before = moved.get();
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            while (moved.get() == before) {
                                Thread.onSpinWait();
                            }
                            kill.run();
                        });
    }

    private static void host(Path folder) throws IOException {
        ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", folder.toString())
                .knob("zbmi.totalBytes", "128m")
                .start();
        System.out.println("ready to match");
        System.out.flush();
        System.in.read(); // until the test ends
        Runtime.getRuntime().halt(1);
    }

    private static void serve(String method, Path folder, Step step) throws IOException {
        Bmi bmi = listen(method, folder);
        Runnable halt = () -> Runtime.getRuntime().halt(9);
        if (step != Step.HELLO) {
            ShipperServer server = Shipper.builder(bmi).knob("shipper.chunkBytes", "64k").server();
            server.register("echo", Number.class, Number.class, Call::input);
            server.register(
                    "die", Die.class, Bytes.class, call -> dieIn(step, call, halt, what -> {}));
            server.start();
            watch(step, bmi, halt);
        }
        System.out.println("ready " + address(method, bmi));
        System.out.flush();
        if (step == Step.HELLO) {
            UnexpectedMessages hello = UnexpectedMessages.ofCapacity(1);
            while (bmi.testUnexpected(hello, 1_000) == 0) {} // there is nobody to answer it
            halt.run();
        }
        System.in.read(); // until the test ends
        Runtime.getRuntime().halt(1);
    }
}
