package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

import java.lang.foreign.MemorySegment;

/**
 * Moves the bytes of one claimed grant at a time between the program's memory and the granted
 * place. This place is a block or a list of blocks. The bytes move piece by piece and in order.
 * Each entry of a list is checked again when it is used. Not thread-safe; allocates nothing.
 */
public interface GrantMover {
    /**
     * Begins with a grant.
     *
     * @param grant a GRANT message that was claimed; not kept
     * @return false if its place is not in the segment: send DONE with a code
     */
    boolean begin(Message grant);

    /**
     * Writes the next bytes of a send.
     *
     * @return false if the place granted cannot hold them: send DONE with a code
     */
    boolean write(MemorySegment source, long sourceOffset, long lengthBytes);

    /**
     * Reads the next bytes of a receive.
     *
     * @return false if the place granted has no more: send DONE with a code
     */
    boolean read(MemorySegment target, long targetOffset, long lengthBytes);
}
