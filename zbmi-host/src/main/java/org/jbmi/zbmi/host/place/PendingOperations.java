package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.attach.Inquiry;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.engine.port.WaitReason;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.OperationsPage;
import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Refused;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The operations that the engine of a runtime directory holds, seen from another process. They are
 * fetched page by page while the engine runs on: an operation that ends or begins meanwhile may be
 * missing.
 */
public final class PendingOperations {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    private PendingOperations() {}

    /**
     * One pending operation.
     *
     * @param id its number at the engine
     * @param isOfServer whether the server posted it; otherwise the client did
     * @param client the client session that takes part
     * @param clientPid the process of that client
     * @param serverPid the server's process, 0 if there is none
     * @param isSend whether it sends
     * @param isUnexpected whether it is an unexpected message
     * @param tag its tag
     * @param bytes its size, or the room of a receive
     * @param ageNs its age
     * @param reason why it is pending
     */
    public record Pending(
            long id,
            boolean isOfServer,
            int client,
            long clientPid,
            long serverPid,
            boolean isSend,
            boolean isUnexpected,
            int tag,
            long bytes,
            long ageNs,
            WaitReason reason) {}

    /**
     * Shows all of them.
     *
     * @return the total, as the last page gives it
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if no process listens, or it ends before
     *     it answers. With {@link ErrorCode#ETIMEDOUT} or {@link ErrorCode#EPROTO} if the answers
     *     do not come or cannot be understood. With {@link ErrorCode#ENOMEM} if it has no memory
     *     for one
     */
    public static int forEach(RuntimeDirectory directory, Consumer<Pending> each) {
        return forEach(directory.socket(), each, true);
    }

    private static int forEach(Path socket, Consumer<Pending> each, boolean mayBeSentOn) {
        try (Inquiry inquiry = Inquiry.connect(socket, NanoClock.SYSTEM, TIMEOUT_NS)) {
            int slot = 0;
            while (true) {
                HandshakeFrame answer = inquiry.ask(new AskOperations(slot));
                if (mayBeSentOn && answer instanceof Redirect redirect) {
                    return forEach(Path.of(redirect.socketPath()), each, false);
                }
                OperationsPage page = pageOf(answer);
                for (OperationsPage.Entry entry : page.operations()) {
                    each.accept(pending(page, entry));
                }
                int next = page.nextSlot();
                if (next == OperationsPage.LAST) {
                    return page.pending();
                }
                if (next <= slot) {
                    throw nonsense("pages that never end");
                }
                slot = next;
            }
        }
    }

    private static OperationsPage pageOf(HandshakeFrame answer) {
        if (answer instanceof OperationsPage page) {
            return page;
        }
        if (answer instanceof Refused refused) {
            throw refused.asException();
        }
        throw nonsense("no page of operations");
    }

    private static Pending pending(OperationsPage page, OperationsPage.Entry e) {
        WaitReason reason = WaitReason.ofWire(e.reason());
        if (reason == null) {
            throw nonsense("the unknown reason " + e.reason());
        }
        return new Pending(
                e.id(),
                (e.flags() & OperationsPage.OF_SERVER) != 0,
                e.client(),
                e.clientPid(),
                page.serverPid(),
                (e.flags() & OperationsPage.SENDS) != 0,
                (e.flags() & OperationsPage.UNEXPECTED) != 0,
                e.tag(),
                e.bytes(),
                e.ageNs(),
                reason);
    }

    private static BmiException nonsense(String what) {
        return new BmiException(
                ErrorCode.EPROTO,
                "The host answered with " + what + ": it may be of another version.");
    }
}
