package org.jbmi.shipper;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zbmi.daemon.ZbmiDaemon;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Who dies: a client that calls for ever, a server that ends itself in a call, or the daemon. */
public final class KillPeer {
    static final int BYTES = 24 << 20;

    /** Where in a call somebody dies. */
    enum Step {
        BEFORE,
        PULLING,
        PUSHING,
        DEFERRED,
        LARGE_OUTPUT
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

    /** Role, method, folder, and the client's address, the server's step, or nothing. */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[2]);
        switch (args[0]) {
            case "client" -> callForEver(args[1], folder, args[3]);
            case "daemon" -> host(folder);
            default -> serve(args[1], folder, Step.valueOf(args[3]));
        }
    }

    private static void callForEver(String method, Path folder, String address) {
        Bmi bmi = builder(method, folder).open();
        Shipper shipper = Shipper.on(bmi);
        PeerAddress server = bmi.lookup(address);
        RemoteFunction<Move, Records.Bytes> die =
                shipper.function("die", Move.class, Records.Bytes.class);
        BulkHandle data =
                shipper.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ_WRITE);
        while (true) {
            die.call(server, new Move(data, 0, BYTES), Duration.ofSeconds(60));
        }
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
        ShipperServer server = Shipper.builder(bmi).knob("shipper.chunkBytes", "64k").server();
        server.register("echo", Number.class, Number.class, Call::input);
        server.register(
                "die",
                Move.class,
                Records.Bytes.class,
                call -> {
                    Lease lease = call.lease(BYTES);
                    List<MemorySegment> memory = List.of(lease.segment());
                    switch (step) {
                        case PULLING -> call.startPull(call.input().data(), 0, memory, 0, BYTES);
                        case PUSHING -> call.startPush(call.input().data(), 0, memory, 0, BYTES);
                        case DEFERRED -> call.defer();
                        default -> {}
                    }
                    Runtime.getRuntime().halt(9);
                    return null;
                });
        server.start();
        System.out.println("ready " + address(method, bmi));
        System.out.flush();
        System.in.read(); // until the test ends
        Runtime.getRuntime().halt(1);
    }
}
