package org.jbmi.tools.demo.forward;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The server of the forwarder: one thread that takes requests, keeps the chunks of many files
 * moving and answers. Buffers come from {@link org.jbmi.PeerAddress#allocate}, so a method with a
 * pool copies nothing on this side; when the pool is used up a transfer waits for another one to
 * end.
 */
public final class ForwardServer {
    /** The tag of a reply is the tag of its request plus this. */
    static final int REPLY_TAG_STEP = 1;

    private static final int MAX_TRANSFERS = 256;
    private static final int BATCH = 64;
    private static final long IDLE_MS = 200;

    private final Bmi bmi;
    private final CompletionContext context;
    private final Path storage;
    private final int depth;
    private final Consumer<String> log;
    private final ReplySender replies;
    private final UnexpectedMessages requests = UnexpectedMessages.ofCapacity(BATCH);
    private final Completions done = Completions.ofCapacity(BATCH);
    private final Map<Integer, ServerTransfer> transfers = new HashMap<>();
    private final ArrayDeque<ServerTransfer> waitingForMemory = new ArrayDeque<>();
    private final ArrayDeque<ServerTransfer> runnable = new ArrayDeque<>();
    private volatile boolean stopped;

    /**
     * Makes a server.
     *
     * @param bmi an open instance that listens and counts references by itself; stays the caller's
     * @param context where the server posts; stays the caller's
     * @param storage an existing directory for the files
     * @param depth how many chunks of one file are under way, 1 or more
     * @param log takes one sentence for each thing that went wrong
     */
    public ForwardServer(
            Bmi bmi, CompletionContext context, Path storage, int depth, Consumer<String> log) {
        this.bmi = bmi;
        this.context = context;
        this.storage = storage;
        this.depth = depth;
        this.log = log;
        replies = new ReplySender(bmi, context);
    }

    /**
     * Serves until {@link #stop} is called. Transfers that are under way then are given up; their
     * memory goes when the context is closed.
     */
    public void run() {
        try {
            while (!stopped) {
                takeRequests();
                collect(runnable.isEmpty() ? IDLE_MS : 0);
                stepRunnable();
            }
        } finally {
            transfers.values().forEach(this::closeFile);
        }
    }

    /** Ends {@link #run} within a fraction of a second, from any thread. */
    public void stop() {
        stopped = true;
    }

    private void takeRequests() {
        int count = bmi.testUnexpected(requests, 0);
        for (int i = 0; i < count; i++) {
            PeerAddress peer = requests.peer(i);
            int tag = requests.tag(i);
            TransferRequest request =
                    requests.outcome(i).isSuccess()
                            ? TransferRequest.decode(requests.payload(i))
                            : null;
            requests.free(i);
            if (request == null) {
                refuse(peer, tag, ErrorCode.EINVAL, "A request that makes no sense");
            } else if (transfers.size() == MAX_TRANSFERS) {
                refuse(peer, tag, ErrorCode.EBUSY, "One transfer too many");
            } else if (transfers.containsKey(request.file())) {
                refuse(peer, tag, ErrorCode.EBUSY, "A second transfer of file " + request.file());
            } else {
                accept(peer, tag, request);
            }
        }
    }

    private void accept(PeerAddress peer, int tag, TransferRequest request) {
        try {
            ServerTransfer transfer = new ServerTransfer(peer, tag, request, storage);
            transfers.put(request.file(), transfer);
            waitingForMemory.add(transfer);
            admit();
        } catch (IOException e) {
            refuse(peer, tag, ErrorCode.EIO, "A request that failed (" + e.getMessage() + ")");
        }
    }

    /** Lets transfers begin in the order of their requests, as far as the memory goes. */
    private void admit() {
        for (ServerTransfer first; (first = waitingForMemory.peek()) != null; ) {
            ServerTransfer transfer = first;
            boolean allocated = transfer.allocate(bmi, depth);
            if (!allocated && transfers.size() > waitingForMemory.size()) {
                return;
            }
            waitingForMemory.remove();
            if (!allocated) {
                refuseForGood(transfer);
                continue;
            }
            transfer.begin(context, () -> runnable.add(transfer));
            runnable.add(transfer);
        }
    }

    /** Nobody else holds memory, so waiting would be in vain. */
    private void refuseForGood(ServerTransfer transfer) {
        transfers.remove(transfer.request.file());
        closeFile(transfer);
        refuse(transfer.peer, transfer.tag, ErrorCode.ENOMEM, "A chunk larger than the pool");
    }

    private void collect(long idleMs) {
        int count = context.testContext(done, idleMs);
        for (int i = 0; i < count; i++) {
            if (done.userData(i) instanceof PostOutcome outcome) {
                outcome.completed(done.outcome(i).negativeValue(), done.sizeBytes(i));
            }
        }
    }

    /** Gives each transfer that has something to do one turn, so that none starves another. */
    private void stepRunnable() {
        for (int turns = runnable.size(); turns > 0; turns--) {
            ServerTransfer transfer = runnable.remove();
            if (transfers.get(transfer.request.file()) != transfer) {
                continue;
            }
            if (transfer.step()) {
                runnable.add(transfer);
            } else if (transfer.isOver()) {
                end(transfer);
            }
        }
    }

    private void end(ServerTransfer transfer) {
        transfer.free(bmi);
        transfers.remove(transfer.request.file());
        closeFile(transfer);
        String problem = transfer.problem();
        if (problem != null) {
            log.accept(problem);
        }
        replies.send(transfer.peer, transfer.tag, transfer.reply());
        admit();
    }

    private void closeFile(ServerTransfer transfer) {
        try {
            transfer.close();
        } catch (IOException e) {
            log.accept("A stored file could not be closed: " + e.getMessage() + ".");
        }
    }

    private void refuse(PeerAddress peer, int tag, ErrorCode code, String what) {
        log.accept(what + " came from " + peer.displayName() + " and was refused.");
        replies.send(peer, tag, new TransferReply(code.negativeValue(), 0));
    }
}
