package org.jbmi.zoid.daemon;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.Shipper;
import org.jbmi.zoid.forward.wire.Broadcasting;
import org.jbmi.zoid.forward.wire.Broadcasting_AnswerCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_WishCodec;
import org.jbmi.zoid.forward.wire.Modules;
import org.jbmi.zoid.forward.wire.Modules_AnswerCodec;
import org.jbmi.zoid.forward.wire.Modules_WishCodec;
import org.jbmi.zoid.forward.wire.Names;

import java.time.Duration;
import java.util.List;

/** Asks a server about itself. Safe for use by any thread. */
public final class ZoidAdmin implements AutoCloseable {
    private static final Duration FOREVER = Duration.ofDays(10_000);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The server waits for running calls and for the methods of plug-ins. */
    private static final Duration CHANGE_PATIENCE = Duration.ofMinutes(2);

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
        PeerAddress server = bmi.lookup(address); // may fail: before there is something to close
        return new ZoidAdmin(Shipper.on(bmi), server);
    }

    /**
     * Reads the counters of the server.
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
     * The result of a broadcast.
     *
     * @param receivers how many have the file
     * @param bytes how large it is
     * @param trouble what went wrong, and with whom; empty if nothing did
     */
    public record Broadcast(int receivers, long bytes, String trouble) {}

    /**
     * Sends a file of the server to all processes that receive broadcasts, and waits until they
     * have it. It gives up a receiver that makes no progress for 30 seconds, and names it.
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

    /**
     * The plug-ins of a server.
     *
     * @param loaded those that are loaded, in the order in which they were
     * @param trouble what went wrong with a change; empty if nothing did
     */
    public record Plugins(List<Plugin> loaded, String trouble) {
        /** Keeps a copy of the list. */
        public Plugins {
            loaded = List.copyOf(loaded);
        }
    }

    /**
     * A plug-in of a server.
     *
     * @param number its number
     * @param name its name
     * @param functions how many functions it has
     * @param file where its classes came from; empty for the server's class path
     */
    public record Plugin(int number, String name, int functions, String file) {}

    /**
     * Lists the plug-ins.
     *
     * @return what is loaded now
     * @throws CallFailedException if there is no server of ZOID, or if it does not answer
     */
    public Plugins plugins() {
        return change(new Modules.Wish("", "", "", List.of()));
    }

    /**
     * Loads a plug-in into a server that was set up for it ({@link ZoidSettings#live}). The plug-in
     * hears of the jobs and processes that are there.
     *
     * @param name the name of the plug-in
     * @param file the jar or folder with its classes, an absolute path on the server; empty for the
     *     server's own class path
     * @param settings for the plug-in, each {@code NAME=VALUE}
     * @return what is loaded then, and why not, if it is not
     * @throws CallFailedException if there is no server of ZOID, or if it does not answer
     */
    public Plugins load(String name, String file, List<String> settings) {
        return change(new Modules.Wish("", name, file, settings));
    }

    /**
     * Unloads a plug-in. Its calls fail with ENOSYS from now on; those that run end first.
     *
     * @param name the name of the plug-in
     * @return what is loaded then; a trouble if calls still run after some seconds
     * @throws CallFailedException if there is no server of ZOID, or if it does not answer
     */
    public Plugins unload(String name) {
        return change(new Modules.Wish(name, "", "", List.of()));
    }

    private Plugins change(Modules.Wish wish) {
        Modules.Answer answer =
                shipper.function(
                                Names.MODULES,
                                Modules_WishCodec.INSTANCE,
                                Modules_AnswerCodec.INSTANCE,
                                Modules.Answer.class)
                        .call(server, wish, CHANGE_PATIENCE);
        return new Plugins(
                answer.loaded().stream()
                        .map(
                                each ->
                                        new Plugin(
                                                each.number(),
                                                each.name(),
                                                each.functions(),
                                                each.file()))
                        .toList(),
                answer.trouble());
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
