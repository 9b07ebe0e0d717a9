package org.jbmi.zbmi.engine.port;

/** Visits the operations that an engine holds. */
@FunctionalInterface
public interface OperationVisitor {
    /**
     * Visits one operation.
     *
     * @param id its id, unique at the time
     * @param client the client that takes part
     * @param isOfServer whether the server posted it; otherwise the client did
     * @param isSend whether its owner sends
     * @param isUnexpected whether it is an unexpected message
     * @param tag its tag
     * @param bytes its size, or the room of a receive
     * @param ageNs its age
     * @param reason why it is pending
     */
    void operation(
            long id,
            int client,
            boolean isOfServer,
            boolean isSend,
            boolean isUnexpected,
            int tag,
            long bytes,
            long ageNs,
            WaitReason reason);
}
