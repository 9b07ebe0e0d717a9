package org.jbmi.core.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.operation.DeadlineQueue;
import org.jbmi.core.operation.OperationLooks;
import org.jbmi.core.operation.OperationRounds;
import org.jbmi.core.operation.OperationTable;
import org.jbmi.core.waiting.Progress;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.WaitPolicy;
import org.junit.jupiter.api.Test;

/** The table of peers by itself. */
class PeerTableTest {
    private static final class Named extends MethodAddress {
        @Override
        public String displayName() {
            return "new";
        }
    }

    private final Progress progress =
            new Progress(
                    new OperationRounds(
                            new DeadlineQueue(), new OperationLooks(new OperationTable(64))),
                    WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0));
    private final PeerTable peers = new PeerTable(new CoreEvents(), progress, peer -> {}, false);

    /** The second of two lookups at a time comes to add what the first has added. */
    @Test
    void lookupsAtATimeGiveOneHandle() {
        long drops = peers.drops();
        CorePeer first = peers.addLookedUp("test://new", null, new Named(), "test", drops);
        CorePeer second = peers.addLookedUp("test://new", null, new Named(), "test", drops);
        assertThat(second).isSameAs(first);
        assertThat(peers.find("test://new")).isSameAs(first);
        assertThat(peers.find(first.id())).isSameAs(first);
        assertThat(peers.size()).isEqualTo(1);
    }
}
