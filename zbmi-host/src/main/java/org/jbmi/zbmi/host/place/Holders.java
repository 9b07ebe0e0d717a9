package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.observe.CountersReader;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.protocol.SegmentMap;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The resources that each session of a host holds, read from its shared counters: so it works for a
 * stopped host as well.
 */
public final class Holders {
    private static final Pattern LABEL = Pattern.compile("zbmi\\.session\\.(\\d{1,4})\\.(.+)");
    private static final String PID = "pid";

    private Holders() {}

    /**
     * The resources of one session.
     *
     * @param session its number; {@link SegmentMap#SERVER_SESSION} is the server's
     * @param pid its process; 0 if that has gone and resources of it are still held
     * @param operations pending operations of the session
     * @param unexpectedBytes of unexpected memory that hold its messages
     * @param poolBytes of the pool that the server's operations with it hold
     */
    public record Holder(
            int session, long pid, long operations, long unexpectedBytes, long poolBytes) {
        /**
         * Whether this is the server.
         *
         * @return false for a client
         */
        public boolean isServer() {
            return session == SegmentMap.SERVER_SESSION;
        }
    }

    /**
     * Reads.
     *
     * @return those who are there or hold something, the server first. For a server that hosts the
     *     engine in memory of a daemon: its own, not the daemon's
     */
    public static List<Holder> read(RuntimeDirectory directory) {
        Path servers = directory.serverCounters();
        boolean isLent = Files.exists(servers, LinkOption.NOFOLLOW_LINKS);
        return read(isLent ? servers : directory.counters());
    }

    private static List<Holder> read(Path file) {
        Map<Integer, Map<String, Long>> sessions = new TreeMap<>();
        try (CountersReader reader = CountersReader.open(file)) {
            for (CountersReader.Reading reading : reader.read()) {
                Matcher label = LABEL.matcher(reading.spec().label());
                if (label.matches()) {
                    sessions.computeIfAbsent(
                                    Integer.valueOf(label.group(1)), session -> new HashMap<>())
                            .put(label.group(2), reading.value());
                }
            }
        } catch (BmiException | UncheckedIOException e) {
            System.getLogger(Holders.class.getName())
                    .log(System.Logger.Level.DEBUG, "no counters in " + file, e);
        }
        List<Holder> holders = new ArrayList<>();
        sessions.forEach((session, values) -> add(holders, session, values));
        return holders;
    }

    private static void add(List<Holder> holders, int session, Map<String, Long> values) {
        Holder holder =
                new Holder(
                        session,
                        values.getOrDefault(PID, 0L),
                        held(values, EngineCounter.PENDING),
                        held(values, EngineCounter.UNEXPECTED_HELD),
                        held(values, EngineCounter.POOL_HELD));
        if (holder.pid() != 0
                || holder.operations() != 0
                || holder.unexpectedBytes() != 0
                || holder.poolBytes() != 0) {
            holders.add(holder);
        }
    }

    private static long held(Map<String, Long> values, EngineCounter gauge) {
        return values.getOrDefault(gauge.label(), 0L);
    }
}
