package org.jbmi.zbmi.protocol.handshake;

import java.util.List;

/**
 * The answer to {@link AskOperations}: some of the operations that the engine holds. The host takes
 * the pages of one connection one after the other while the engine goes on. So an operation that
 * ends or begins meanwhile may be missing.
 *
 * @param nextSlot where the next page begins, {@link #LAST} if there is none
 * @param pending how many operations there are at this moment, on all pages
 * @param serverPid the server's process, 0 if there is none
 * @param operations up to {@link #MAX_OPERATIONS}
 */
public record OperationsPage(int nextSlot, int pending, long serverPid, List<Entry> operations)
        implements HandshakeFrame {
    /** Instead of the slot of a next page. */
    public static final int LAST = -1;

    /** So many fit into a frame. */
    public static final int MAX_OPERATIONS = 60;

    /** Flag: the server posted it; otherwise the client did. */
    public static final int OF_SERVER = 1;

    /** Flag: it sends; otherwise it receives. */
    public static final int SENDS = 2;

    /** Flag: it is an unexpected message. */
    public static final int UNEXPECTED = 4;

    /** Copies the list. */
    public OperationsPage {
        operations = List.copyOf(operations);
    }

    /**
     * One operation.
     *
     * @param id its id, unique at the time
     * @param client the client session that takes part
     * @param clientPid the process of that client
     * @param flags {@link #OF_SERVER}, {@link #SENDS}, {@link #UNEXPECTED}
     * @param reason the number of the reason why it is pending
     * @param tag its tag
     * @param bytes its size, or the room of a receive
     * @param ageNs its age
     */
    public record Entry(
            long id,
            int client,
            long clientPid,
            int flags,
            int reason,
            int tag,
            long bytes,
            long ageNs) {}
}
