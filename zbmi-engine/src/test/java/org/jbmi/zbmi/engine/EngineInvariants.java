package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What must hold in an engine between any two events. */
final class EngineInvariants {
    private final Engine engine;

    EngineInvariants(Engine engine) {
        this.engine = engine;
    }

    void check() {
        int operations = countOwned(engine.state().server.operations);
        Set<Integer> chunksHeld = new HashSet<>();
        int waiting = 0;
        for (int i = 1; i <= engine.state().maxClient(); i++) {
            ClientSession client = engine.state().client(i);
            operations += countOwned(client.operations);
            checkTags(client);
            checkGrants(client);
            checkHeldCalls(client);
            checkUnexpected(client);
            waiting += client.unexpected.isWaiting ? 1 : 0;
            Chunk chunk = client.unexpected.currentChunk;
            assertThat(chunk == null || chunksHeld.add(chunk.index)).isTrue();
        }
        assertThat(engine.pendingOperations()).isEqualTo(operations);
        assertThat(engine.unexpected().waiting()).isEqualTo(waiting);
        if (engine.state().server.isAttached && engine.unexpected().region().hasFreeChunk()) {
            assertThat(waiting).as("nobody waits while there is memory").isZero();
        }
    }

    private static int countOwned(OwnedOperations operations) {
        int count = 0;
        for (Operation o = operations.first(); o != null; o = o.ownerNext) {
            assertThat(o.state).isNotEqualTo(Operation.State.FREE);
            assertThat(o.grant != null).isEqualTo(o.state == Operation.State.GRANTED);
            count++;
        }
        assertThat(operations.size()).isEqualTo(count);
        return count;
    }

    private void checkTags(ClientSession client) {
        for (TagQueue tag = client.tags.first(); tag != null; tag = tag.next) {
            assertThat(tag.isEmpty()).as("an empty queue leaves the table").isFalse();
            assertThat(client.tags.get(tag.tag)).isSameAs(tag);
            checkQueue(tag.towardServer);
            checkQueue(tag.towardClient);
        }
    }

    private void checkQueue(MatchQueue queue) {
        List<Operation> sends = list(queue.firstSend());
        List<Operation> receives = list(queue.firstReceive());
        int pairs = Math.min(sends.size(), receives.size());
        List<Operation> longer = sends.size() > receives.size() ? sends : receives;
        Operation unpaired = longer.size() > pairs ? longer.get(pairs) : null;
        Operation sendForNext = sends.size() > receives.size() ? unpaired : null;
        assertThat(queue.sendForNextReceive()).isSameAs(sendForNext);
        for (int i = 0; i < longer.size(); i++) {
            assertThat(queue.isPaired(longer.get(i))).isEqualTo(i < pairs);
        }
        ClientSession client = queue.client;
        if (pairs > 0) {
            // By an offer that is not claimed, or was not when the engine looked last: DONE will
            // come.
            boolean isBlocked = queue.inWindow > 0;
            assertThat(queue.isReady || isBlocked).as("a pair that nobody looks after").isTrue();
            boolean isStuck = queue.isReady && client.isInCall() && client.hasFreeGrant();
            assertThat(isStuck && client.isListening()).as("a pair that could go on").isFalse();
        } else {
            assertThat(queue.isReady).isFalse();
        }
    }

    private static List<Operation> list(Operation first) {
        List<Operation> all = new ArrayList<>();
        for (Operation o = first; o != null; o = o.next) {
            assertThat(o.state).isEqualTo(Operation.State.QUEUED);
            assertThat(all.isEmpty() || all.getLast().arrival < o.arrival)
                    .as("in the order of arrival")
                    .isTrue();
            all.add(o);
        }
        return all;
    }

    private static void checkGrants(ClientSession client) {
        Set<Integer> windows = new HashSet<>();
        for (Grant grant : client.grants) {
            if (!grant.inUse) {
                continue;
            }
            GrantStream stream = grant.stream();
            assertThat(stream.client).isSameAs(client);
            if (!grant.claimed) {
                assertThat(stream.window).isNotEqualTo(GrantStream.NO_WINDOW);
                windows.add(stream.window);
            }
            if (grant.clientOperation == null) {
                assertThat(client.state).isEqualTo(ClientSession.State.EVICTED);
            }
        }
        int inWindow = 0;
        for (TagQueue tag = client.tags.first(); tag != null; tag = tag.next) {
            inWindow += tag.towardServer.window == GrantStream.NO_WINDOW ? 0 : 1;
            inWindow += tag.towardClient.window == GrantStream.NO_WINDOW ? 0 : 1;
        }
        inWindow += client.unexpected.window == GrantStream.NO_WINDOW ? 0 : 1;
        assertThat(windows).as("a window has grants in it, and its own slot").hasSize(inWindow);
    }

    private static void checkHeldCalls(ClientSession client) {
        int held = 0;
        for (Operation o = client.operations.first(); o != null; o = o.ownerNext) {
            assertThat(o.isCallOpen()).isEqualTo(o.heapIndex != Timed.NOT_SCHEDULED);
            held += o.isCallOpen() ? 1 : 0;
        }
        assertThat(client.heldCalls).isEqualTo(held);
        assertThat(client.isArmed).isEqualTo(client.heapIndex != Timed.NOT_SCHEDULED);
    }

    private void checkUnexpected(ClientSession client) {
        UnexpectedStream stream = client.unexpected;
        list(stream.pending.first());
        Operation head = stream.pending.first();
        if (stream.isWaiting) {
            assertThat(head).isNotNull();
        } else if (head != null && client.isListening() && engine.state().server.isAttached) {
            boolean isHere = head.isEager();
            boolean isHeldUp =
                    isHere ? stream.inWindow > 0 : !client.isInCall() || !client.hasFreeGrant();
            assertThat(isHeldUp).as("a message that could be accepted").isTrue();
        }
        UnexpectedBlock first = stream.accepted.first();
        assertThat(first == null || first.state == UnexpectedBlock.State.MOVING)
                .as("what is whole and next is handed over")
                .isTrue();
    }
}
