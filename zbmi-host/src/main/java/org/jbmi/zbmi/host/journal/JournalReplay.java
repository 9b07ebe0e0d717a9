package org.jbmi.zbmi.host.journal;

import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Feeds a journal to a fresh engine, and compares everything that the engine does with what it did
 * when the journal was written.
 */
public final class JournalReplay {
    private static final System.Logger LOG = System.getLogger(JournalReplay.class.getName());
    private static final int CONTEXT_EVENTS = 8;

    private final JournalReader reader;
    private final ReplayedWorld world = new ReplayedWorld();
    private final Message message = new Message();
    private final ArrayDeque<JournalRecord> context = new ArrayDeque<>();
    private long events;
    private long actions;

    /**
     * What came of it.
     *
     * @param header of the journal; null if it has none and nothing was replayed
     * @param events that were fed
     * @param actions that were compared
     * @param end how the journal ends
     * @param difference null if there is none
     */
    public record Result(
            @Nullable JournalHeader header,
            long events,
            long actions,
            End end,
            @Nullable Difference difference) {}

    /** How a journal ends. */
    public enum End {
        /** It was ended. */
        WHOLE,
        /** No end is in it: the process was killed, still writes, or the journal was full. */
        OPEN,
        /** It is cut off inside a record. */
        CUT_OFF
    }

    /**
     * The first place where the engine did something else, or could not do what the event asks for.
     *
     * @param before the events before, the last of them the one in question
     * @param recorded what it did then; null for nothing more
     * @param replayed what it did now; null for nothing more
     */
    public record Difference(
            List<JournalRecord> before,
            @Nullable JournalRecord recorded,
            @Nullable JournalRecord replayed) {}

    private JournalReplay(JournalReader reader) {
        this.reader = reader;
    }

    /**
     * Replays a journal that is not being written any more. What the last event of a journal
     * without an end led to may be missing in it, so that event is left out.
     */
    public static Result run(JournalReader reader) {
        return new JournalReplay(reader).replay();
    }

    private Result replay() {
        JournalRecord record = new JournalRecord();
        int read = reader.read(record);
        JournalHeader header = read == JournalReader.RECORD ? JournalHeader.of(record) : null;
        if (header == null) {
            return new Result(null, 0, 0, endOf(read), null);
        }
        Engine engine = new Engine(header.limits(), world, world);
        JournalRecord event = null;
        List<JournalRecord> led = new ArrayList<>();
        for (read = reader.read(record);
                read == JournalReader.RECORD && record.kind() != JournalKind.END.code();
                read = reader.read(record)) {
            JournalKind kind = JournalKind.of(record.kind());
            JournalRecord copy = new JournalRecord().copyFrom(record);
            if (kind == null || !kind.isEvent()) {
                led.add(copy);
                continue;
            }
            if (!isSame(engine, event, led)) {
                return different(header);
            }
            event = copy;
            led.clear();
        }
        boolean isWhole = read == JournalReader.RECORD;
        if (isWhole && !isSame(engine, event, led)) {
            return different(header);
        }
        return new Result(header, events, actions, isWhole ? End.WHOLE : endOf(read), null);
    }

    private static End endOf(int read) {
        return read == JournalReader.CUT_OFF ? End.CUT_OFF : End.OPEN;
    }

    private Result different(JournalHeader header) {
        Difference difference =
                new Difference(List.copyOf(context), world.recorded(), world.done());
        return new Result(header, events, actions, End.OPEN, difference);
    }

    private boolean isSame(Engine engine, @Nullable JournalRecord event, List<JournalRecord> led) {
        if (event == null) {
            return led.isEmpty();
        }
        context.addLast(event);
        if (context.size() > CONTEXT_EVENTS) {
            context.removeFirst();
        }
        world.expect(led);
        try {
            feed(engine, event);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "an event that no engine can have taken", e);
            world.breakOff();
        }
        events++;
        actions += led.size();
        return world.isSame();
    }

    private void feed(Engine engine, JournalRecord event) {
        int session = event.session();
        long first = event.word(0);
        JournalKind kind = JournalKind.of(event.kind());
        if (kind == null) {
            return;
        }
        switch (kind) {
            case MESSAGE -> {
                if (event.message(1, message)) {
                    engine.receive(session, message, first);
                }
            }
            case CLIENT_ATTACHED -> engine.clientAttached(session, (int) first);
            case CLIENT_GONE -> engine.clientGone(session, (int) first, event.word(1) != 0);
            case CLIENT_PROVED_DEAD -> engine.clientProvedDead(session);
            case SERVER_ATTACHED -> engine.serverAttached((int) first);
            case SERVER_GONE -> engine.serverGone(first != 0);
            case SERVER_PROVED_DEAD -> engine.serverProvedDead();
            case TICK -> engine.tick(first);
            default -> {
                // Who has a session is nothing to the engine.
            }
        }
    }
}
