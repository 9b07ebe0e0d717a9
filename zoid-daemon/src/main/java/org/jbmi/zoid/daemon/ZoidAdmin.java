package org.jbmi.zoid.daemon;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.Shipper;
import org.jbmi.zoid.forward.wire.Broadcasting;
import org.jbmi.zoid.forward.wire.Broadcasting_AnswerCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_WishCodec;
import org.jbmi.zoid.forward.wire.Names;

import java.time.Duration;

/** Asks a server about itself. Safe for use by any thread. */
public final class ZoidAdmin implements AutoCloseable {
    private static final Duration FOREVER = Duration.ofDays(10_000);
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

    /**
     * What became of a broadcast.
     *
     * @param receivers how many have the file
     * @param bytes how large it is
     * @param trouble what went wrong, and with whom; empty if nothing did
     */
    public record Broadcast(int receivers, long bytes, String trouble) {}

    /**
     * Sends a file of the server to all processes that receive broadcasts, and waits until they
     * have it. Who does not get on for 30 seconds is left behind, and named.
     *
     * @param input an absolute path on the server
     * @param output an absolute path, which begins at each receiver's folder
     * @return what became of it
     * @throws CallFailedException if there is no server of ZOID, or if it goes
     */
    public Broadcast broadcast(String input, String output) {
        Broadcasting.Answer answer =
                shipper.function(
                                Names.BROADCAST,
                                Broadcasting_WishCodec.INSTANCE,
                                Broadcasting_AnswerCodec.INSTANCE,
                                Broadcasting.Answer.class)
                        .withDeadline(Duration.ZERO)
                        .forward(server, new Broadcasting.Wish(input, output))
                        .await(FOREVER);
        return new Broadcast(answer.receivers(), answer.bytes(), answer.trouble());
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
