package org.jbmi.zbmi.host.journal;

import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Makes readable entries out of the records of one journal, in their order. It remembers who has
 * which session and which calls are open, at most {@value #MAX_OPEN_CALLS} of them. Not
 * thread-safe.
 */
public final class JournalTrace {
    private static final int MAX_OPEN_CALLS = 100_000;
    private final DateTimeFormatter dayAndTime =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSS'Z'")
                    .withZone(ZoneOffset.UTC);

    private final Map<Integer, Long> pids = new LinkedHashMap<>();
    private final Map<Call, Long> openCalls =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Call, Long> eldest) {
                    return size() > MAX_OPEN_CALLS;
                }
            };
    private final Message message = new Message();
    private @Nullable JournalHeader header;

    private record Call(int session, long correlation) {}

    /** Takes named numbers. */
    interface Sink {
        void put(String name, long value);
    }

    /**
     * One record as people read it.
     *
     * @param time of day in UTC
     * @param isEvent whether it entered the engine, or came of what did
     * @param who a session and, if known, its process
     * @param what name of the event or action
     * @param arguments by their names, in order
     * @param tookNs from the call to this answer; -1 for what answers none
     */
    public record Entry(
            String time,
            boolean isEvent,
            String who,
            String what,
            Map<String, Long> arguments,
            long tookNs) {

        /**
         * In one line.
         *
         * @return without a line end
         */
        public String line() {
            StringBuilder text = new StringBuilder(time);
            text.append(isEvent ? "  " : "    -> ").append(who).append("  ").append(what);
            arguments.forEach(
                    (name, value) -> text.append(' ').append(name).append('=').append(value));
            if (tookNs >= 0) {
                text.append("  (after %.1f us)".formatted(tookNs / 1000.0));
            }
            return text.toString();
        }
    }

    /** Nothing is known yet. */
    public JournalTrace() {}

    /** Reads the next record. */
    public Entry entry(JournalRecord record) {
        JournalKind kind = JournalKind.of(record.kind());
        if (kind == null) {
            return entry(record, "?", "record of unknown kind " + record.kind(), Map.of());
        }
        return switch (kind) {
            case HEADER -> header(record);
            case MESSAGE -> message(record, 1);
            case SENT -> message(record, 0);
            case INTRODUCED -> {
                pids.put(record.session(), record.word(0));
                yield named(record, kind, "pid");
            }
            case CLIENT_ATTACHED, SERVER_ATTACHED -> named(record, kind, "generation");
            case CLIENT_GONE -> named(record, kind, "code", "proved");
            case SERVER_GONE -> named(record, kind, "proved");
            case FAULT -> fault(record);
            case TAKE_EAGER -> named(record, kind, "slot", "sequence", "taken");
            case COPY_EAGER -> named(record, kind, "slot", "bytes", "offset");
            case COPY_EAGER_TO_LIST ->
                    named(record, kind, "slot", "bytes", "list", "entries", "sound");
            case COPY_INLINE -> named(record, kind, "bytes", "offset");
            case CHECK_LIST -> named(record, kind, "list", "entries", "bytes", "sound");
            case OPEN_WINDOW -> named(record, kind, "window", "word");
            case READ_WINDOW -> named(record, kind, "window", "word");
            case READ_CANCELS -> named(record, kind, "cancels");
            case READ_DATA_SLOTS -> named(record, kind, "back");
            case MAY_PUBLISH -> named(record, kind, "published");
            case FILL_DATA_SLOT -> named(record, kind, "slot", "offset", "bytes");
            case SENT_DATA ->
                    named(
                            record,
                            kind,
                            "offset",
                            "header",
                            "correlation",
                            "reference",
                            "bytes",
                            "published");
            case SEND_TAGS -> named(record, kind, "bits");
            case KEEPS, RETURNED -> named(record, kind, "word");
            case SWAP_WINDOW -> named(record, kind, "window", "expected", "word", "swapped");
            case CLIENT_PROVED_DEAD, SERVER_PROVED_DEAD, TICK, END -> named(record, kind);
        };
    }

    private Entry header(JournalRecord record) {
        JournalHeader known = JournalHeader.of(record);
        header = known;
        return known == null
                ? entry(record, "journal", "HEADER of an unknown format", Map.of())
                : entry(record, "journal", "HEADER", Map.of("pid", known.pid()));
    }

    private Entry named(JournalRecord record, JournalKind kind, String... names) {
        Map<String, Long> arguments = new LinkedHashMap<>();
        for (int i = 0; i < names.length && i < record.wordCount(); i++) {
            arguments.put(names[i], record.word(i));
        }
        boolean isHosts = kind == JournalKind.TICK || kind == JournalKind.END;
        return entry(record, isHosts ? "host" : who(record.session()), kind.name(), arguments);
    }

    private Entry fault(JournalRecord record) {
        Fault[] faults = Fault.values();
        long number = record.wordCount() > 0 ? record.word(0) : -1;
        String name =
                number >= 0 && number < faults.length ? faults[(int) number].name() : "unknown";
        return entry(record, who(record.session()), "FAULT " + name, Map.of());
    }

    private Entry message(JournalRecord record, int from) {
        if (!record.message(from, message)) {
            return entry(record, who(record.session()), "no message", Map.of());
        }
        long tookNs = -1;
        Call call = new Call(record.session(), MessageText.call(message));
        if (call.correlation() != 0 && from == 1) {
            openCalls.put(call, record.timeNs());
        } else if (call.correlation() != 0) {
            Long sinceNs = openCalls.remove(call);
            tookNs = sinceNs == null ? -1 : record.timeNs() - sinceNs;
        }
        Map<String, Long> arguments = arguments(put -> MessageText.arguments(message, put::accept));
        return entry(record, who(record.session()), MessageText.name(message), arguments, tookNs);
    }

    private static Map<String, Long> arguments(
            java.util.function.Consumer<BiConsumer<String, Long>> filler) {
        Map<String, Long> arguments = new LinkedHashMap<>();
        filler.accept(arguments::put);
        return arguments;
    }

    private String who(int session) {
        Long pid = pids.get(session);
        String name = session == 0 ? "server" : "client " + session;
        return pid == null ? name : name + " (pid " + pid + ")";
    }

    private Entry entry(
            JournalRecord record, String who, String what, Map<String, Long> arguments) {
        return entry(record, who, what, arguments, -1);
    }

    private Entry entry(
            JournalRecord record,
            String who,
            String what,
            Map<String, Long> arguments,
            long tookNs) {
        JournalKind kind = JournalKind.of(record.kind());
        boolean isAction =
                kind != null
                        && !kind.isEvent()
                        && kind != JournalKind.HEADER
                        && kind != JournalKind.END;
        return new Entry(time(record.timeNs()), !isAction, who, what, arguments, tookNs);
    }

    private String time(long timeNs) {
        JournalHeader known = header;
        if (known == null) {
            return timeNs + " ns";
        }
        return dayAndTime.format(
                Instant.ofEpochMilli(known.startMs()).plusNanos(timeNs - known.startNs()));
    }
}
