package org.jbmi.zbmi.engine.state;

import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.protocol.SessionArea;

/**
 * The data slots of one client. The engine fills them in turn, and the client gives them back in
 * the same order by counting.
 */
public final class DataSlots {
    /** {@link #next}: none is free, or the message is too long for one. */
    public static final int NONE = -1;

    /** {@link #next}: the client has given back what it did not have. */
    public static final int MISCOUNTED = -2;

    private final int client;
    private final int slots;
    private final int slotBytes;
    private long filled;
    private long back;

    public DataSlots(int client, EngineLimits limits) {
        this.client = client;
        this.slotBytes = limits.eagerBytes();
        this.slots = limits.eagerSlots() == 0 || slotBytes == 0 ? 0 : SessionArea.DATA_SLOTS;
    }

    /** The client is a new one, whose count is 0. */
    public void begin() {
        filled = 0;
        back = 0;
    }

    /** How many the engine has filled. */
    public long filled() {
        return filled;
    }

    /**
     * Which slot the next message may use.
     *
     * @return a slot, {@link #NONE} or {@link #MISCOUNTED}
     */
    public int next(long bytes, EnginePayload payload) {
        if (slots == 0 || bytes > slotBytes) {
            return NONE;
        }
        // The count is on a line that the client writes: it is read only if it must be.
        if (filled - back == slots) {
            long now = payload.dataSlotsBack(client);
            if (now < back || now > filled) {
                return MISCOUNTED;
            }
            back = now;
        }
        return filled - back == slots ? NONE : (int) (filled % slots);
    }

    /** The client gets the message in the slot that was {@link #next}. */
    public void fill() {
        filled++;
    }
}
