package org.jbmi.zbmi.engine;

import org.jbmi.ErrorCode;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.Grant;
import org.jbmi.zbmi.engine.state.MatchQueue;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.ServerSession;
import org.jbmi.zbmi.engine.state.TagQueue;
import org.jbmi.zbmi.protocol.ServerEvents;

/**
 * Attaching and leaving of peers. When a peer goes, its operations end at once. An operation of the
 * server whose bytes a client has claimed ends when the client's process has ended. Until then the
 * memory stays in quarantine: the process may still write there.
 */
final class Lifecycle {
    private final EngineState state;
    private final Outcomes outcomes;
    private final Matcher matcher;
    private final Unexpected unexpected;
    private final Transfers transfers;
    private final HandOvers handOvers;

    Lifecycle(
            EngineState state,
            Outcomes outcomes,
            Matcher matcher,
            Unexpected unexpected,
            Transfers transfers,
            HandOvers handOvers) {
        this.handOvers = handOvers;
        this.state = state;
        this.outcomes = outcomes;
        this.matcher = matcher;
        this.unexpected = unexpected;
        this.transfers = transfers;
    }

    void clientAttached(ClientSession client, int generation) {
        if (!client.isFree()) {
            throw new IllegalStateException("session " + client.index + " is in use");
        }
        client.lentSlots.begin();
        client.dataSlots.begin();
        client.state = ClientSession.State.LIVE;
        client.generation = generation;
        client.isFaulty = false;
        client.goneCode = 0;
        client.cancelsHeard = 0;
        client.kept.begin();
        state.showKept(client);
        if (state.server.isAttached) {
            state.toServer.clientAttached(client.index, generation);
        }
    }

    void clientGone(ClientSession client, int code) {
        if (client.state != ClientSession.State.LIVE) {
            return;
        }
        client.state = ClientSession.State.EVICTED;
        client.goneCode = code;
        client.isArmed = false;
        state.deadlines.cancel(client);
        takeBackUnclaimed(client);
        unexpected.takeBack(client.unexpected);
        unexpected.doomMoving(client.unexpected);
        unexpected.deliver(client.unexpected);
        if (state.server.isAttached) {
            // After its messages, because the server makes records of senders, and ends them now.
            state.toServer.clientGone(client.index, client.generation, code);
        }
        forgetOperations(client);
        state.showKept(client);
        endServerOperations(client, code);
        unexpected.waitNoMore(client.unexpected);
        unexpected.region().forget(client.unexpected);
        unexpected.serveWaiting();
    }

    private void takeBackUnclaimed(ClientSession client) {
        for (Grant grant : client.grants) {
            if (grant.inUse && grant.stream() instanceof MatchQueue queue) {
                matcher.close(queue);
            }
        }
    }

    // Memory that it has claimed belongs to no session until its process has ended.
    private void forgetOperations(ClientSession client) {
        IntrusiveList<Operation.Registration> all = client.operations;
        for (Operation.Registration at = all.first(), next; at != null; at = next) {
            next = all.next(at);
            Operation own = at.operation;
            Grant grant = own.grant;
            if (grant != null) {
                grant.clientOperation = null;
            } else if (own.kind == Operation.Kind.UNEXPECTED) {
                client.unexpected.pending.remove(own);
                unexpected.forget(own);
            } else {
                own.queue().remove(own);
            }
            outcomes.forget(own);
        }
    }

    private void endServerOperations(ClientSession client, int code) {
        IntrusiveList<TagQueue> tags = client.tags.inUse;
        for (TagQueue tag = tags.first(), next; tag != null; tag = next) {
            next = tags.next(tag);
            endServerOperations(tag.towardServer, code);
            endServerOperations(tag.towardClient, code);
            matcher.advance(tag.towardServer);
            matcher.advance(tag.towardClient);
        }
    }

    private void endServerOperations(MatchQueue queue, int code) {
        Operation inDoubt = handOvers.end(queue);
        if (inDoubt != null) { // taken or not: no peer is left that can tell
            outcomes.finish(inDoubt, ErrorCode.EHOSTDOWN.negativeValue(), 0);
        }
        Operation operation = queue.firstOfServer();
        while (operation != null) {
            queue.remove(operation);
            outcomes.finish(operation, code, 0);
            operation = queue.firstOfServer();
        }
    }

    void clientProvedDead(ClientSession client) {
        if (client.state != ClientSession.State.EVICTED) {
            return;
        }
        for (Grant grant : client.grants) {
            if (grant.inUse) {
                transfers.end(grant, client.goneCode);
            }
        }
        unexpected.serveWaiting();
        client.state = ClientSession.State.FREE;
    }

    boolean mayAttachServer() {
        ServerSession server = state.server;
        return !server.isAttached && !server.awaitsProof && server.orphanMovers == 0;
    }

    void serverAttached() {
        if (!mayAttachServer()) {
            throw new IllegalStateException("no server can be attached now");
        }
        state.server.isAttached = true;
        for (int i = 1; i <= state.maxClient(); i++) {
            ClientSession client = state.client(i);
            if (client.state == ClientSession.State.LIVE) {
                state.toServer.clientAttached(i, client.generation);
            }
        }
        for (int i = 1; i <= state.maxClient(); i++) {
            unexpected.advance(state.client(i).unexpected);
            state.showKept(state.client(i));
        }
    }

    /** The server says goodbye; registered operations of clients end. */
    void serverFinished(long correlation) {
        forgetServer(true);
        endClients(ErrorCode.EPIPE);
        unexpected.reclaim(state.server.lent);
        state.toServer.finishReply(correlation, state.server.orphanMovers);
    }

    /** The server has gone without a goodbye; registered operations of clients end. */
    void serverGone() {
        if (!state.server.isAttached) {
            return;
        }
        forgetServer(false);
        endClients(ErrorCode.EHOSTDOWN);
        unexpected.strand();
        state.server.awaitsProof = true;
    }

    private void endClients(ErrorCode code) {
        for (int i = 1; i <= state.maxClient(); i++) {
            ClientSession client = state.client(i);
            unexpected.takeBack(client.unexpected);
            unexpected.dropAccepted(client.unexpected);
            unexpected.waitNoMore(client.unexpected);
            endClientOperations(client, code.negativeValue());
        }
    }

    void serverProvedDead() {
        state.server.awaitsProof = false;
        unexpected.reclaim(state.server.stranded);
    }

    private void forgetServer(boolean areCallsAnswered) {
        state.server.isAttached = false;
        for (int i = 1; i <= state.maxClient(); i++) {
            state.showKept(state.client(i));
        }
        IntrusiveList<Operation.Registration> all = state.server.operations;
        for (Operation.Registration at = all.first(), next; at != null; at = next) {
            next = all.next(at);
            Operation own = at.operation;
            forgetServerOperation(own, areCallsAnswered);
        }
        for (int i = 1; i <= state.maxClient(); i++) {
            IntrusiveList<TagQueue> tags = state.client(i).tags.inUse;
            for (TagQueue tag = tags.first(), next; tag != null; tag = next) {
                next = tags.next(tag);
                matcher.advance(tag.towardServer);
                matcher.advance(tag.towardClient);
            }
        }
    }

    private void forgetServerOperation(Operation own, boolean isCallAnswered) {
        MatchQueue queue = own.queue();
        if (own.grant != null) {
            matcher.close(queue);
        }
        Grant claimed = own.grant;
        if (own.state == Operation.State.HANDED_OVER) {
            handOvers.end(queue);
        } else if (claimed == null) {
            queue.remove(own);
        } else {
            claimed.serverOperation = null;
            state.server.orphanMovers++;
        }
        long correlation = outcomes.closeCall(own);
        if (isCallAnswered && correlation != 0) {
            // A transfer of a client may still succeed.
            ErrorCode code = claimed == null ? ErrorCode.ECANCEL : ErrorCode.EHOSTDOWN;
            state.toServer.answered(
                    ServerEvents.POST_REFUSED, correlation, own.reference, code.negativeValue());
        }
        outcomes.forget(own);
    }

    // A client that moves bytes goes on; it is told the outcome.
    private void endClientOperations(ClientSession client, int code) {
        IntrusiveList<Operation.Registration> all = client.operations;
        for (Operation.Registration at = all.first(), next; at != null; at = next) {
            next = all.next(at);
            Operation own = at.operation;
            if (own.grant != null) {
                state.output.failed(client.index, 0, own.reference, code);
            } else {
                endClientOperation(client, own, code);
            }
        }
    }

    private void endClientOperation(ClientSession client, Operation own, int code) {
        if (own.kind == Operation.Kind.UNEXPECTED) {
            client.unexpected.pending.remove(own);
            unexpected.forget(own);
            outcomes.finish(own, code, 0);
            return;
        }
        MatchQueue queue = own.queue();
        queue.remove(own);
        outcomes.finish(own, code, 0);
        matcher.advance(queue);
    }
}
