package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.shipper.Call;
import org.jbmi.shipper.Lease;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Shipped;

import java.time.Duration;

/** The server of the patterns call, pull and push: handlers run in the polling threads. */
final class ShippedServer implements AutoCloseable {
    static final String WORDS = "perf.words";
    static final String BLOCK = "perf.block";
    static final String PULL = "perf.pull";
    static final String PUSH = "perf.push";

    private static final long LONGEST_MS = 10;

    /** 64 bytes. */
    @Shipped
    record Words(long a, long b, long c, long d, long e, long f, long g, long h) {}

    /** Any number of bytes. */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Block(byte[] bytes) {}

    /** Memory of the client. */
    @Shipped
    record Region(BulkHandle memory) {}

    /** How many bytes were moved. */
    @Shipped
    record Moved(long bytes) {}

    private final ShipperServer server;

    ShippedServer(Bmi bmi) {
        server = Shipper.builder(bmi).withoutThreads().server();
        server.registerShort(
                WORDS,
                ShippedServer_WordsCodec.INSTANCE,
                ShippedServer_WordsCodec.INSTANCE,
                Call::input);
        server.registerShort(
                BLOCK,
                ShippedServer_BlockCodec.INSTANCE,
                ShippedServer_BlockCodec.INSTANCE,
                Call::input);
        server.register(
                PULL,
                ShippedServer_RegionCodec.INSTANCE,
                ShippedServer_MovedCodec.INSTANCE,
                ShippedServer::pull);
        server.register(
                PUSH,
                ShippedServer_RegionCodec.INSTANCE,
                ShippedServer_MovedCodec.INSTANCE,
                ShippedServer::push);
        server.start();
    }

    private static Moved pull(Call<Region, Moved> call) {
        try (Lease lease = call.pull(call.input().memory())) {
            return new Moved(lease.segment().byteSize());
        }
    }

    private static Moved push(Call<Region, Moved> call) {
        try (Lease lease = call.lease(call.input().memory().sizeBytes())) {
            call.push(call.input().memory(), 0, lease.segment());
            return new Moved(lease.segment().byteSize());
        }
    }

    /**
     * Runs the calls that have come; waits for a call for the idle time at most, because the thread
     * also looks for other messages.
     */
    int process(long idleMs) {
        return server.process(
                idleMs == 0 ? Duration.ZERO : Duration.ofMillis(Math.min(idleMs, LONGEST_MS)));
    }

    @Override
    public void close() {
        server.close();
    }
}
