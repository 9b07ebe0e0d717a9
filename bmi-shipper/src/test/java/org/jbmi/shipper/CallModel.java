package org.jbmi.shipper;

import org.jbmi.ErrorCode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the shipper promises about calls, in one page: two rows of messages, and what each side does
 * when it takes one. Time stands still but for {@link #now}.
 */
final class CallModel {
    /** Of a call that is not over. */
    static final String OPEN = "open";

    /** What a function of the server does. */
    enum Kind {
        ECHO,
        FAIL,
        DEFER
    }

    /** A call as both sides see it. */
    static final class Entry {
        final int id;
        final Kind kind;
        final long deadline;
        String outcome = OPEN;
        boolean hasSlot;

        // The server's side.
        boolean known;
        boolean answered;
        boolean abandoned;
        boolean deferred;
        long serverDeadline = Long.MAX_VALUE;
        long leftWhenSent;

        Entry(int id, Kind kind, long deadline) {
            this.id = id;
            this.kind = kind;
            this.deadline = deadline;
        }
    }

    /** A message: what it is, and about which call. */
    record Message(String what, Entry call, String outcome, int session) {}

    final Map<Integer, Entry> calls = new HashMap<>();

    /** Receives of a session's inbox beyond one for each call that is under way. */
    private static final int SPARE_RECEIVES = 2;

    private final int window;
    private final ArrayDeque<Message> toServer = new ArrayDeque<>();
    private final ArrayDeque<Message> toClient = new ArrayDeque<>();
    private final List<Entry> waiting = new ArrayList<>();
    private final List<Entry> open = new ArrayList<>();
    private boolean hasSession;

    /** Which session of the client it is. */
    private int session;

    /** The last session that the server of now does not know. */
    private int lastUnknown = -1;

    /** Whether the client's session gets a goodbye in this step, if the server does not know it. */
    private boolean saysGoodbye;

    private boolean saidHello;
    private boolean serverDied;
    private boolean welcomedByTheDead;
    private boolean clientDied;
    private int slots;
    long now;

    CallModel(int window) {
        this.window = window;
    }

    Entry forward(int id, Kind kind, long deadlineMs) {
        Entry call = new Entry(id, kind, deadlineMs == 0 ? Long.MAX_VALUE : now + deadlineMs);
        calls.put(id, call);
        if (!saidHello) {
            saidHello = true;
            toServer.add(new Message("hello", call, "", session));
        }
        if (!hasSession) {
            if (waiting.size() == window) {
                call.outcome = ErrorCode.ETRYAGAIN.name();
            } else {
                waiting.add(call);
            }
        } else {
            send(call);
        }
        return call;
    }

    private void send(Entry call) {
        if (slots == window) {
            call.outcome = ErrorCode.ETRYAGAIN.name();
            return;
        }
        boolean meetsGoodbye = goodbyes() > slots + SPARE_RECEIVES;
        slots++;
        call.hasSlot = true;
        call.leftWhenSent = call.deadline == Long.MAX_VALUE ? 0 : Math.max(1, call.deadline - now);
        open.add(call);
        toServer.add(new Message("call", call, "", session));
        if (meetsGoodbye) {
            endSession(ErrorCode.ECONNRESET);
        }
    }

    /**
     * The server says goodbye to a session that it does not know at most once in a step, and not
     * while a goodbye finds no receive. One more than there are receives may wait so. The receive
     * that the next call posts is over at once then, and the client need not make progress to see
     * it.
     */
    private long goodbyes() {
        return toClient.stream()
                .filter(message -> message.what().equals("goodbye"))
                .filter(message -> message.session() == session)
                .count();
    }

    boolean cancel(Entry call, ErrorCode code) {
        if (!call.outcome.equals(OPEN)) {
            return false;
        }
        call.outcome = code.name();
        if (!waiting.remove(call) && call.hasSlot) {
            toServer.add(new Message("cancel", call, "", session));
        }
        return true;
    }

    void clientStep() {
        while (!toClient.isEmpty()) {
            take(toClient.poll());
        }
        if (serverDied) {
            serverDied = false;
            if (!welcomedByTheDead) {
                endSession(ErrorCode.EPIPE);
            }
            welcomedByTheDead = false;
        }
        for (Entry call : List.copyOf(calls.values())) {
            if (call.outcome.equals(OPEN) && call.deadline <= now) {
                cancel(call, ErrorCode.ETIMEDOUT);
            }
        }
    }

    private void take(Message message) {
        if (message.what().equals("goodbye")) {
            if (message.session() == session && hasSession) {
                endSession(ErrorCode.ECONNRESET);
            }
            return;
        }
        if (message.what().equals("welcome")) {
            hasSession = true;
            // What is posted from now on meets the new server, which has the same name.
            welcomedByTheDead = serverDied;
            List<Entry> ready = List.copyOf(waiting);
            waiting.clear();
            ready.forEach(this::send);
            return;
        }
        Entry call = message.call();
        if (call.outcome.equals(OPEN)) {
            call.outcome = message.outcome();
        }
        call.hasSlot = false;
        open.remove(call);
        slots--;
    }

    private void endSession(ErrorCode code) {
        for (Entry call : open) {
            call.outcome = call.outcome.equals(OPEN) ? code.name() : call.outcome;
            call.hasSlot = false;
        }
        for (Entry call : waiting) {
            call.outcome = code.name();
        }
        open.clear();
        waiting.clear();
        slots = 0;
        hasSession = false;
        saidHello = false;
        session++;
    }

    /** The server takes what came, looks at the clock, and runs what may run. */
    void serverStep() {
        if (clientDied) {
            clientDied = false;
            for (Entry call : calls.values()) {
                if (call.known && !call.answered) {
                    call.answered = true;
                    call.abandoned = true;
                }
            }
        }
        List<Entry> runnable = new ArrayList<>();
        saysGoodbye = goodbyes() <= slots + SPARE_RECEIVES;
        while (!toServer.isEmpty()) {
            serve(toServer.poll(), runnable);
        }
        for (Entry call : calls.values()) {
            if (call.known && !call.answered && call.serverDeadline <= now) {
                abandon(call, ErrorCode.ETIMEDOUT);
            }
        }
        for (Entry call : runnable) {
            if (!call.answered) {
                switch (call.kind) {
                    case ECHO -> reply(call, "value " + call.id);
                    case FAIL -> reply(call, ErrorCode.ENOSPC.name());
                    case DEFER -> call.deferred = true;
                }
            }
        }
    }

    private void serve(Message message, List<Entry> runnable) {
        if (message.session() <= lastUnknown) {
            if (message.session() == session && saysGoodbye) {
                saysGoodbye = false;
                toClient.add(new Message("goodbye", message.call(), "", session));
            }
            return;
        }
        Entry call = message.call();
        switch (message.what()) {
            case "hello" -> toClient.add(new Message("welcome", call, "", message.session()));
            case "call" -> {
                call.known = true;
                if (call.leftWhenSent > 0) {
                    call.serverDeadline = now + call.leftWhenSent;
                }
                runnable.add(call);
            }
            default -> {
                if (call.known && !call.answered) {
                    abandon(call, ErrorCode.ECANCEL);
                }
            }
        }
    }

    private void abandon(Entry call, ErrorCode code) {
        call.abandoned = true;
        reply(call, code.name());
    }

    private void reply(Entry call, String outcome) {
        call.answered = true;
        toClient.add(new Message("reply", call, outcome, session));
    }

    /** Somebody answers a call that was put off. */
    boolean answer(Entry call) {
        if (call.answered) {
            return false;
        }
        reply(call, "value " + call.id);
        return true;
    }

    /** The server's process is gone, and another one is there. */
    void serverDies() {
        serverDied = saidHello;
        lastUnknown = saidHello ? session : session - 1;
        toServer.clear();
        for (Entry call : calls.values()) {
            call.answered |= call.known;
        }
    }

    /** The client's process is gone: nobody sees the outcomes of its calls. */
    void clientDies() {
        clientDied = true;
        toClient.clear();
        toServer.clear();
        for (Entry call : calls.values()) {
            call.outcome = call.outcome.equals(OPEN) ? "gone" : call.outcome;
        }
        waiting.clear();
        open.clear();
        slots = 0;
        hasSession = false;
        saidHello = false;
        serverDied = false;
        welcomedByTheDead = false;
        session++;
    }
}
