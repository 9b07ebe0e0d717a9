package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.engine.port.EngineLimits;
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
 * <p>EVICTED: its socket is closed, but its process is not proved dead. The process may still write
 * to the memory that it had claimed.
 */
public final class ClientSession extends Timed {
    /** The state of a session. */
    public enum State {
        FREE,
        LIVE,
        EVICTED
    }

    public final int index;
    public int generation;
    public State state = State.FREE;

    /** It broke the protocol; its messages are ignored until it is gone. */
    public boolean isFaulty;

    /** Why it was evicted. */
    public int goneCode;

    /** Whether a wait is open; this is its correlation. */
    public boolean isArmed;

    public long armCorrelation;

    /** Whether a TEST without timeout is being answered. */
    public boolean isPolling;

    /** Posts whose reply is held back. */
    public int heldCalls;

    /** Messages sent in the present wait. */
    public int pushed;

    public final IntrusiveList<Operation.Registration> operations = new IntrusiveList<>();
    public final NotedReceives noted;
    public final WaitingSends waitingSends;
    public final KeptMessages kept;
    public final LentSlots lentSlots;
    public final DataSlots dataSlots;

    /** Queues with a send whose hand-over is in doubt. */
    public final ArrayDeque<MatchQueue> doubtful = new ArrayDeque<>();

    /** How many of its cancels the engine has heard of. */
    public long cancelsHeard;

    public final TagTable tags = new TagTable(this);

    /** Queues that have a pair and wait for the client, and its unexpected messages if they do. */
    public final IntrusiveList<GrantStream> ready = new IntrusiveList<>();

    public final Grant[] grants = new Grant[SessionArea.WINDOWS];
    private long freeGrants = -1;
    private long freeWindows = -1;
    private final int[] windowGenerations = new int[SessionArea.WINDOWS];
    private long grantSequence;

    public final UnexpectedStream unexpected = new UnexpectedStream(this);

    public ClientSession(int index, EngineLimits limits) {
        this.index = index;
        this.noted = new NotedReceives(limits.maxClientOperations());
        this.waitingSends = new WaitingSends(index);
        this.kept = new KeptMessages(index);
        this.lentSlots = new LentSlots(index, limits);
        this.dataSlots = new DataSlots(index, limits);
        for (int i = 0; i < grants.length; i++) {
            grants[i] = new Grant(i);
        }
    }

    /** Whether a client may get it: there is none, and the server has nothing of the last one. */
    public boolean isFree() {
        return state == State.FREE && !lentSlots.isAny();
    }

    /** Whether the client waits in a call, so that it dispatches at once. */
    public boolean isInCall() {
        return isArmed || isPolling || heldCalls > 0;
    }

    public boolean isListening() {
        return state == State.LIVE && !isFaulty;
    }

    public boolean hasGrants() {
        return freeGrants != -1;
    }

    public boolean hasFreeGrant() {
        return freeGrants != 0;
    }

    public Grant takeGrant() {
        int slot = Long.numberOfTrailingZeros(freeGrants);
        freeGrants &= ~(1L << slot);
        Grant taken = grants[slot];
        taken.id = ++grantSequence * SessionArea.WINDOWS + slot;
        taken.inUse = true;
        taken.claimed = false;
        return taken;
    }

    public void releaseGrant(Grant done) {
        done.inUse = false;
        done.stream = null;
        done.clientOperation = null;
        done.serverOperation = null;
        done.block = null;
        freeGrants |= 1L << done.slot;
    }

    /** The grant with this id, or null. */
    public @Nullable Grant findGrant(long id) {
        Grant grant = grants[(int) (id & (SessionArea.WINDOWS - 1))];
        return grant.inUse && grant.id == id ? grant : null;
    }

    // There are as many windows as grants, and every window in use has a grant.
    public int takeWindow() {
        int window = Long.numberOfTrailingZeros(freeWindows);
        freeWindows &= ~(1L << window);
        return window;
    }

    public void releaseWindow(int window) {
        freeWindows |= 1L << window;
    }

    public int nextWindowGeneration(int window) {
        windowGenerations[window] = (windowGenerations[window] + 1) & 0x7fff_ffff;
        return windowGenerations[window];
    }

    public void addReady(GrantStream stream) {
        if (!ready.contains(stream)) {
            ready.addLast(stream);
        }
    }
}
