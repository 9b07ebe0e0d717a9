package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.rig.perf.worker.ShippedServer.Block;
import org.jbmi.rig.perf.worker.ShippedServer.Moved;
import org.jbmi.rig.perf.worker.ShippedServer.Region;
import org.jbmi.rig.perf.worker.ShippedServer.Words;
import org.jbmi.shipper.RemoteFunction;
import org.jbmi.shipper.ShippedCall;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Calls of the shipper, some of them under way at once. It waits for the oldest first, so with
 * several calls a latency includes the wait for its turn.
 */
final class ShippedFlow extends ClientFlow {
    private static final int LINE_BYTES = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private record Begun(ShippedCall<?> call, long startNs) {}

    private final Shipper shipper;
    private final Supplier<ShippedCall<?>> forward;

    ShippedFlow(Bmi bmi, Setup setup) {
        super(setup);
        shipper = Shipper.builder(bmi).withoutThreads().client();
        forward =
                switch (phase.pattern()) {
                    case PULL -> moving(ShippedServer.PULL, Permission.READ);
                    case PUSH -> moving(ShippedServer.PUSH, Permission.WRITE);
                    default -> calling();
                };
    }

    private Supplier<ShippedCall<?>> calling() {
        if (phase.bytes() == Words.class.getRecordComponents().length * Long.BYTES) {
            RemoteFunction<Words, Words> function =
                    shipper.function(
                            ShippedServer.WORDS,
                            ShippedServer_WordsCodec.INSTANCE,
                            ShippedServer_WordsCodec.INSTANCE,
                            Words.class);
            return () -> function.forward(server, new Words(sent, 2, 3, 4, 5, 6, 7, 8));
        }
        RemoteFunction<Block, Block> function =
                shipper.function(
                        ShippedServer.BLOCK,
                        ShippedServer_BlockCodec.INSTANCE,
                        ShippedServer_BlockCodec.INSTANCE,
                        Block.class);
        Block block = new Block(new byte[phase.bytes()]);
        return () -> function.forward(server, block);
    }

    private Supplier<ShippedCall<?>> moving(String name, Permission permission) {
        RemoteFunction<Region, Moved> function =
                shipper.function(
                        name,
                        ShippedServer_RegionCodec.INSTANCE,
                        ShippedServer_MovedCodec.INSTANCE,
                        Moved.class);
        MemorySegment memory = arena.allocate(phase.bytes(), LINE_BYTES);
        memory.fill((byte) 1);
        BulkHandle handle = shipper.expose(memory, permission); // the shipper closes it
        return () -> function.forward(server, new Region(handle));
    }

    @Override
    void run() {
        ArrayDeque<Begun> underWay = new ArrayDeque<>(phase.outstanding());
        long now = System.nanoTime();
        long endNs = now + phase.millis() * RoundTrips.NS_PER_MS;
        while (now < endNs || !underWay.isEmpty()) {
            while (now < endNs && underWay.size() < phase.outstanding()) {
                underWay.addLast(new Begun(forward.get(), now));
                sent++;
                now = phase.outstanding() == 1 ? now : System.nanoTime();
            }
            Begun oldest = underWay.pollFirst();
            if (oldest != null) {
                oldest.call().await(PATIENCE);
                now = System.nanoTime();
                latencies.recordValue(Math.max(1, now - oldest.startNs()));
                exchanges++;
            }
        }
    }

    @Override
    public void close() {
        shipper.close();
        super.close();
    }
}
