package org.jbmi.zbmi.engine;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;

/**
 * What the engine knows of one client. Scheduled in the {@link DeadlineHeap} while its wait is
 * open.
 *
 * <pre>
 *   FREE -> LIVE -> EVICTED -> FREE
 *              `-------------> FREE
 * </pre>
 *
 * <p>EVICTED: its socket is closed, but it is not proved that its process is gone: what it had
 * claimed it may still be writing to.
 */
final class ClientSession extends Timed {
    /** The state of a session. */
    enum State {
        FREE,
        LIVE,
        EVICTED
    }

    final int index;
    int generation;
    State state = State.FREE;

    /** It broke the protocol; its messages are ignored until it is gone. */
    boolean isFaulty;

    /** Why it was evicted. */
    int goneCode;

    /** Whether a wait is open; this is its correlation. */
    boolean isArmed;

    long armCorrelation;

    /** Whether a TEST without timeout is being answered. */
    boolean isPolling;

    /** Posts whose reply is held back. */
    int heldCalls;

    /** Messages sent in the present wait. */
    int pushed;

    final IntrusiveList<Operation.Registration> operations = new IntrusiveList<>();
    final NotedReceives noted;
    final WaitingSends waitingSends;
    final KeptMessages kept;

    /** Queues with a send whose hand-over is in doubt. */
    final ArrayDeque<MatchQueue> doubtful = new ArrayDeque<>();

    /** How many of its cancels the engine has heard of. */
    long cancelsHeard;

    final TagTable tags = new TagTable(this);

    /** Queues that have a pair and wait for the client. */
    final IntrusiveList<MatchQueue> ready = new IntrusiveList<>();

    final Grant[] grants = new Grant[SessionArea.WINDOWS];
    private long freeGrants = -1;
    private long freeWindows = -1;
    private final int[] windowGenerations = new int[SessionArea.WINDOWS];
    private long grantSequence;

    final UnexpectedStream unexpected = new UnexpectedStream(this);

    ClientSession(int index, int maxOperations) {
        this.index = index;
        this.noted = new NotedReceives(maxOperations);
        this.waitingSends = new WaitingSends(index);
        this.kept = new KeptMessages(index);
        for (int i = 0; i < grants.length; i++) {
            grants[i] = new Grant(i);
        }
    }

    /** Whether the client waits in a call, so that it dispatches at once. */
    boolean isInCall() {
        return isArmed || isPolling || heldCalls > 0;
    }

    boolean isListening() {
        return state == State.LIVE && !isFaulty;
    }

    boolean hasGrants() {
        return freeGrants != -1;
    }

    boolean hasFreeGrant() {
        return freeGrants != 0;
    }

    Grant takeGrant() {
        int slot = Long.numberOfTrailingZeros(freeGrants);
        freeGrants &= ~(1L << slot);
        Grant taken = grants[slot];
        taken.id = ++grantSequence * SessionArea.WINDOWS + slot;
        taken.inUse = true;
        taken.claimed = false;
        return taken;
    }

    void releaseGrant(Grant done) {
        done.inUse = false;
        done.stream = null;
        done.clientOperation = null;
        done.serverOperation = null;
        done.block = null;
        freeGrants |= 1L << done.slot;
    }

    /** The grant with this id, or null. */
    @Nullable Grant findGrant(long id) {
        Grant grant = grants[(int) (id & (SessionArea.WINDOWS - 1))];
        return grant.inUse && grant.id == id ? grant : null;
    }

    // There are as many windows as grants, and every window in use has a grant.
    int takeWindow() {
        int window = Long.numberOfTrailingZeros(freeWindows);
        freeWindows &= ~(1L << window);
        return window;
    }

    void releaseWindow(int window) {
        freeWindows |= 1L << window;
    }

    int nextWindowGeneration(int window) {
        windowGenerations[window] = (windowGenerations[window] + 1) & 0x7fff_ffff;
        return windowGenerations[window];
    }

    void addReady(MatchQueue queue) {
        if (!ready.contains(queue)) {
            ready.addLast(queue);
        }
    }
}
