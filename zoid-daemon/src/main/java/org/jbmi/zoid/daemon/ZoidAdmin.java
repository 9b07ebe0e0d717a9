package org.jbmi.zoid.daemon;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.Shipper;
import org.jbmi.zoid.forward.wire.Names;

import java.time.Duration;

/** Asks a server about itself. Safe for use by any thread. */
public final class ZoidAdmin implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Shipper shipper;
    private final PeerAddress server;

    private ZoidAdmin(Shipper shipper, PeerAddress server) {
        this.shipper = shipper;
        this.server = server;
    }

    /**
     * Names a server.
     *
     * @param bmi what is talked over; it is retained until the close
     * @param address where the server is
     * @return a client, which connects at the first question
     */
    public static ZoidAdmin of(Bmi bmi, String address) {
        return new ZoidAdmin(Shipper.on(bmi), bmi.lookup(address));
    }

    /**
     * What the server has counted.
     *
     * @return the counters as they are there now
     * @throws CallFailedException if there is no server of ZOID, or if it does not answer
     */
    public Statistics statistics() {
        return shipper.function(
                        Names.STAT,
                        JobWords_NothingCodec.INSTANCE,
                        StatisticsCodec.INSTANCE,
                        Statistics.class)
                .call(server, new JobWords.Nothing(), PATIENCE);
    }

    Shipper shipper() {
        return shipper;
    }

    PeerAddress server() {
        return server;
    }

    @Override
    public void close() {
        shipper.close();
    }
}
