package org.jbmi.zbmi.link;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.TagBits;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;

import java.lang.foreign.MemorySegment;

/** The client link of a process that maps the segment: lanes for messages, copies for payload. */
public final class ShmClientLink extends LaneChannel implements ClientLink {
    /** The name of such links in the knob and in the handshake. */
    public static final String NAME = "shm";

    private final SharedMemory memory;
    private final EagerSlots eager;
    private final long keepsWord;
    private final boolean isLaneShort;
    private final int dataRoom;
    private long dataSlotsBack;
    private long cancels;

    /**
     * Opens the client's end of a session.
     *
     * @param attachment the result of the handshake; owned from now on, if this does not throw
     */
    public ShmClientLink(PeerAttachment attachment, PeerEvents events) {
        super(attachment, events);
        this.memory = attachment.memory();
        this.eager = new EagerSlots(memory, area());
        this.keepsWord = area().keepsOffset();
        this.dataRoom = dataRoom(area(), limits());
        this.isLaneShort = 2 * area().laneSlots() <= ClientRequests.MOST_KEPT;
    }

    /**
     * Connects, shakes hands and opens the client's end. One attempt: a caller who wants to wait
     * for a host that is not there yet tries again.
     *
     * @param request how to reach the host of the runtime directory
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if no host is there, or another code if
     *     the handshake fails
     */
    public static ClientLink connect(AttachRequest request, PeerEvents events) {
        return open(PeerAttachment.connect(request), events);
    }

    /**
     * Opens the client's end of a session.
     *
     * @param attachment the result of the handshake; owned from now on, and closed if this throws
     */
    public static ClientLink open(PeerAttachment attachment, PeerEvents events) {
        ClientLink link = null;
        try {
            link = new ShmClientLink(attachment, events);
            return link;
        } finally {
            if (link == null) { // for an Error, too
                attachment.close();
            }
        }
    }

    @Override
    public SessionLimits limits() {
        return welcome().limits();
    }

    @Override
    public int generation() {
        return welcome().generation();
    }

    @Override
    public boolean isOneHop() {
        return welcome().host() != HostKind.DAEMON;
    }

    @Override
    protected boolean isWellFormed(Message message) {
        return ClientEvents.isWellFormed(message);
    }

    @Override
    protected long correlationOf(Message message) {
        return ClientEvents.correlation(message);
    }

    // Claims are made in the order of the lane, since the caller may be slower than the next grant.
    @Override
    protected void beforeReply(Message reply) {
        if (reply.kind() == ClientEvents.GRANT && !claim(reply)) {
            ClientEvents.pending(
                    reply,
                    ClientEvents.correlation(reply),
                    ClientEvents.reference(reply),
                    ClientEvents.operationId(reply));
        }
    }

    @Override
    public boolean claim(Message grant) {
        int window = ClientEvents.window(grant);
        return window >= 0
                && window < SessionArea.WINDOWS
                && claim(memory, area(), window, ClientEvents.claimWord(grant));
    }

    static boolean claim(SharedMemory memory, SessionArea area, int window, long word) {
        return memory.compareAndSetLong(area.windowOffset(window), word, GrantWindow.claimed(word));
    }

    private static int dataRoom(SessionArea area, SessionLimits limits) {
        int slotBytes = area.dataSlots() == 0 ? 0 : limits.eagerBytes();
        return Math.max(ClientEvents.MAX_DATA_BYTES, slotBytes);
    }

    @Override
    public int dataRoom() {
        return dataRoom;
    }

    @Override
    public void readDataSlot(int slot, int position, MemorySegment target, int lengthBytes) {
        readDataSlot(memory, area(), slot, position, target, lengthBytes);
    }

    static void readDataSlot(
            SharedMemory memory,
            SessionArea area,
            int slot,
            int position,
            MemorySegment target,
            int lengthBytes) {
        FreeEagerSlots.checkRange(position, lengthBytes, area.eagerSlotBytes());
        memory.copyOut(area.dataSlotOffset(slot) + position, target, 0, lengthBytes);
    }

    @Override
    public void releaseDataSlot() {
        dataSlotsBack++;
        giveDataSlotsBack(memory, area(), dataSlotsBack);
    }

    // Behind all reads of the slot: from here on the engine may write there.
    static void giveDataSlotsBack(SharedMemory memory, SessionArea area, long back) {
        memory.setLongRelease(area.dataSlotsBackOffset(), back);
    }

    @Override
    public long countCancel() {
        cancels++;
        countCancel(memory, area(), cancels);
        return cancels;
    }

    static void countCancel(SharedMemory memory, SessionArea area, long cancels) {
        memory.setLongVolatile(area.cancelsOffset(), cancels);
        memory.fullFence();
    }

    @Override
    public void hearAll() {
        dispatchAll();
    }

    @Override
    public boolean mayHaveSend(int tag) {
        return TagBits.isSet(memory.getLongAcquire(area().sendTagsOffset()), tag);
    }

    @Override
    public int keeps() {
        return isLaneShort ? memory.getIntAcquire(keepsWord) : 0;
    }

    @Override
    public GrantMover newMover() {
        return new GrantMover(memory, attachment().map(), welcome().limits().maxListEntries());
    }

    @Override
    public int takeEagerSlot() {
        return eager.take();
    }

    @Override
    public int takeSlotToLend() {
        return isLaneShort ? eager.takeToLend() : ClientRequests.NOT_EAGER;
    }

    @Override
    public int tryLend(int slot, Message note) {
        int said = tryNote(note);
        if (said != NOT_SENT) {
            eager.lend(slot);
        }
        return said;
    }

    @Override
    public void putEager(
            int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {
        eager.put(slot, position, source, sourceOffset, lengthBytes);
    }

    @Override
    public long announceEager(int slot) {
        return eager.announce(slot);
    }

    @Override
    public boolean withdrawEager(int slot, long sequence) {
        return eager.withdraw(slot, sequence);
    }

    @Override
    public void releaseEagerSlot(int slot) {
        eager.release(slot);
    }
}
