package org.jbmi.zbmi.host;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.port.Doorbell;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;

/**
 * One round of an engine: reads messages of peers, passes them on, sends the engine's output. It
 * reads only hot sessions: those that rang or were sent something, and have not been quiet since.
 * The engine may sleep when all are cold. For one thread at a time.
 */
final class EngineRound {
    /** Most messages taken from a session before the next one has its turn. */
    private static final int BATCH = 32;

    /**
     * How many messages end a round early. Whoever runs it holds the engine's lock, and with a
     * thousand full lanes all that they hold takes tens of milliseconds.
     */
    private static final int MOST_A_ROUND = 64;

    /** The correlation of requests of a server in this process: the answer is a call. */
    private static final long CALL = 1;

    private static final long NOTE = -1;

    private static final long LOOK_AT_ALL_NS = 100_000_000;

    private final Engine engine;
    private final SessionTable table;
    private final Doorbell doorbell;
    private final NanoClock clock;
    private final int[] hot;
    private final boolean[] isHot;
    private final Message message = new Message();
    private final Message scratch = new Message();
    private int hotCount;

    /** The index in {@link #hot} of the session that was read last; -1 if the first one is next. */
    private int turn = -1;

    private long lookedAtAllNs;

    EngineRound(Engine engine, SessionTable table, Doorbell doorbell, HostContext context) {
        this.engine = engine;
        this.table = table;
        this.doorbell = doorbell;
        this.clock = context.clock();
        this.hot = new int[table.sessionCount()];
        this.isHot = new boolean[table.sessionCount()];
    }

    /**
     * Runs a round. It may leave hot sessions unread if it {@link #endsEarly}.
     *
     * @return how much was done; 0 only if all hot sessions were read
     */
    int work(long nowNs) {
        int work = take(nowNs);
        settle();
        table.tellLate();
        return work;
    }

    /**
     * Runs a round that is soon followed by others. If the only news for a sleeping client is that
     * its post has succeeded, this round does not wake it. The server is likely to send it more
     * before the next round. Such rounds may never pause, so quiet sessions become cold in between.
     */
    int workOn(long nowNs) {
        boolean isOfAll = isOfAll(nowNs);
        table.tellLate();
        int work = take(nowNs);
        settle(true);
        if (isOfAll) {
            coolDown();
        }
        return work;
    }

    private boolean isOfAll(long nowNs) {
        return nowNs - lookedAtAllNs >= LOOK_AT_ALL_NS;
    }

    private int take(long nowNs) {
        takeRung();
        if (isOfAll(nowNs)) {
            lookedAtAllNs = nowNs;
            lookAtAll();
        }
        int work = drainHot(nowNs);
        if (engine.nanosToNextDeadline(nowNs) == 0) {
            engine.tick(nowNs);
            work++;
        }
        return work;
    }

    /**
     * Whether a round that has done so much may have left sessions unread. Perhaps it has read all:
     * the last session may bring it to that number, and a deadline counts as work.
     */
    static boolean endsEarly(int work) {
        return work >= MOST_A_ROUND;
    }

    // In turns: a round that ends early is continued by the next one.
    private int drainHot(long nowNs) {
        int work = 0;
        for (int i = 0; i < hotCount && !endsEarly(work); i++) {
            turn = turn < hotCount - 1 ? turn + 1 : 0;
            work += drain(hot[turn], nowNs);
        }
        return work;
    }

    private void feed(int session, Message from, long nowNs) {
        if (session == SegmentMap.SERVER_SESSION && ServerRequests.isPost(from)) {
            hearClient(
                    from.kind() == ServerRequests.POST_SEND,
                    ServerRequests.session(from),
                    ServerRequests.tag(from),
                    ServerRequests.bytes(from),
                    nowNs);
        } else if (session == SegmentMap.SERVER_SESSION && from.kind() == ServerRequests.FINISH) {
            hearAllClients(nowNs);
        }
        engine.receive(session, from, nowNs);
    }

    /**
     * Passes on a post of a server in this process; {@link #settle} must follow.
     *
     * @param isAwaited whether its answer may be held back while a client moves the bytes
     */
    void post(boolean isAwaited, ServerPost post, long nowNs) {
        hearClient(post.isSend, post.session, post.tag, post.bytes, nowNs);
        long correlation = isAwaited ? CALL : NOTE;
        if (engine.isRecorded()) {
            take(ServerRequests.post(scratch, correlation, post), nowNs);
        } else {
            engine.post(correlation, post, nowNs);
        }
    }

    /**
     * Sends a message of a server in this process, if it can be over at once; {@link #settle} must
     * follow.
     *
     * @return see {@link Engine#sendAtOnce}
     */
    long sendAtOnce(int client, int generation, int tag, long offset, long bytes, long nowNs) {
        hear(client, nowNs);
        return engine.sendAtOnce(client, generation, tag, offset, bytes, nowNs);
    }

    /** See {@link Engine#adopt}. */
    void adopt(long id, long reference) {
        engine.adopt(id, reference);
    }

    /**
     * Passes on another request of a server in this process; {@link #settle} must follow.
     *
     * @param kind of {@link ServerRequests}
     * @param first the reference of a cancel, or the offset of memory
     * @param second the zoid id of a cancel
     */
    void tell(int kind, long first, long second, long nowNs) {
        if (kind == ServerRequests.FINISH) {
            hearAllClients(nowNs);
        }
        if (engine.isRecorded()) {
            take(ServerRequests.request(scratch, kind, CALL, first, second), nowNs);
            return;
        }
        switch (kind) {
            case ServerRequests.CANCEL -> engine.cancel(CALL, first, second);
            case ServerRequests.UNEXPECTED_FREE -> engine.unexpectedFree(first);
            default -> engine.finish(CALL);
        }
    }

    // A request of a server in this process is recorded as the message that it stands for.
    private void take(Message of, long nowNs) {
        engine.receive(SegmentMap.SERVER_SESSION, of, nowNs);
    }

    // Posts that came before the server's goodbye end with it; later ones wait for the next server.
    private void hearAllClients(long nowNs) {
        for (int session = 0; session < isHot.length; session++) {
            hear(session, nowNs);
        }
    }

    // A client's cancel is a note, and so are many receives. When the client goes on they are in
    // its lane, and a later post of the server may arrive first by another way. So that lane is
    // read before each send, and before a receive that would be refused as too small.
    private void hearClient(boolean isSend, int client, int tag, long bytes, long nowNs) {
        if (isSend || engine.isMisfit(client, tag, bytes)) {
            hear(client, nowNs);
        }
    }

    private void hear(int client, long nowNs) {
        LanePort port = table.port(client);
        // A server may name its own session, whose lane is being read.
        if (port == null || client == SegmentMap.SERVER_SESSION) {
            return;
        }
        int most = table.laneSlots(client);
        int heard = 0;
        int result = LanePort.RECEIVED;
        while (heard < most && result == LanePort.RECEIVED) {
            result = port.poll(scratch);
            if (result == LanePort.RECEIVED) {
                engine.receive(client, scratch, timeFor(client, scratch, nowNs));
                heard++;
            }
        }
        if (heard > 0 || result == LanePort.BROKEN) {
            table.touch(client);
        }
    }

    /** Called after events were passed to the engine: wakes peers, and evicts those at fault. */
    void settle() {
        settle(false);
    }

    private void settle(boolean mayBeLate) {
        // A session with more messages than its lane has room for must be visited again.
        for (int i = 0; i < table.touchedCount(); i++) {
            heat(table.touched(i));
        }
        table.afterEvents(mayBeLate);
    }

    private void takeRung() {
        for (int word = 0; word < doorbell.words(); word++) {
            long bits = doorbell.takeRung(word);
            while (bits != 0) {
                heat(Doorbell.session(word, Long.numberOfTrailingZeros(bits)));
                bits &= bits - 1;
            }
        }
    }

    // Peers share doorbell words, and a hostile one can clear the bits of others. So all sessions
    // become hot at this interval.
    private void lookAtAll() {
        for (int session = 0; session < isHot.length; session++) {
            if (table.port(session) != null) {
                heat(session);
            }
        }
    }

    /** Whether any peer but the server has a session. */
    boolean hasPeers() {
        for (int session = 0; session < isHot.length; session++) {
            if (session != SegmentMap.SERVER_SESSION && table.port(session) != null) {
                return true;
            }
        }
        return false;
    }

    private void heat(int session) {
        if (!isHot[session]) {
            isHot[session] = true;
            hot[hotCount++] = session;
        }
    }

    private int drain(int session, long nowNs) {
        LanePort port = table.port(session);
        if (port == null) {
            return 0;
        }
        int count = port.flush();
        for (int i = 0; i < BATCH; i++) {
            int result = port.poll(message);
            if (result == LanePort.RECEIVED) {
                feed(session, message, timeFor(session, message, nowNs));
                count++;
            } else {
                if (result == LanePort.BROKEN) {
                    table.fault(session, Fault.BROKEN_LANE);
                    count++;
                }
                break;
            }
        }
        if (count > 0) {
            table.touch(session);
        }
        return count;
    }

    // The time of the round may be behind by little, which is exact enough for messages without a
    // deadline.
    private long timeFor(int session, Message from, long nowNs) {
        boolean hasDeadline =
                session == SegmentMap.SERVER_SESSION
                        ? ServerRequests.isPost(from)
                                && ServerRequests.expiryMs(from) != ServerRequests.NEVER
                        : from.kind() == ClientRequests.EXPIRES;
        return hasDeadline ? clock.nanoTime() : nowNs;
    }

    /** Whether any session is hot. */
    boolean isHot() {
        return hotCount > 0;
    }

    /** Makes quiet sessions cold; true if all are. */
    boolean coolDown() {
        int kept = 0;
        int read = -1;
        for (int i = 0; i < hotCount; i++) {
            int session = hot[i];
            LanePort port = table.port(session);
            if (port == null || port.goCold()) {
                isHot[session] = false;
            } else {
                hot[kept++] = session;
            }
            if (i == turn) {
                read = kept - 1;
            }
        }
        hotCount = kept;
        turn = read;
        return kept == 0;
    }

    /** Whether a round needs the time more exactly than for the waits of clients. */
    boolean hasDeadlines() {
        return engine.hasDeadlines();
    }

    /**
     * How long until there is work without a ring.
     *
     * @return nanoseconds; {@link Long#MAX_VALUE} for ever
     */
    long nanosToNextDeadline(long nowNs) {
        return engine.nanosToNextDeadline(nowNs);
    }
}
