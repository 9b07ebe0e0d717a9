package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.tcp.wire.SourceHash;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.util.List;

/** A server that turns out to be one that was looked up while the JVM has little memory left. */
@Timeout(60)
class FullHeapMergeTest {
    @Test
    void itsReceivesAreMergedOrStayWhereTheyAre() throws Exception {
        assertThat(FullHeap.outputOf(Merges.class, "24m")).isEqualTo("2 merged, 2 ended");
    }

    @Test
    void theirMergeWaitsForMemoryOnceTheirSendsHaveLeft() throws Exception {
        assertThat(FullHeap.outputOf(Merges.class, "24m", 50, "late"))
                .isEqualTo("2 merged, 2 ended");
    }

    /** Merges each peer anew with a little more memory, until it has enough. */
    static final class Merges {
        private static final int PEERS = 3;
        private static final int FIRST_PORT = 5000;
        private static final int TAG = 1;

        private final PartsHost host = new PartsHost();
        private final TcpState state = new TcpState(host, new TcpSettings(host.configuration()));
        private final Directory directory = new Directory(state, new Names(state));
        private final Endings endings = new Endings(state, directory);
        private final Receives receives = new Receives(state, endings, directory);
        private final TcpPeer[] inbound = new TcpPeer[PEERS];
        private final TcpPeer[] named = new TcpPeer[PEERS];
        private final Receive[] receive = new Receive[PEERS];

        private static final class Receive extends Operation {
            Receive(MethodAddress from) {
                this.id = 1;
                this.address = from;
                this.kind = OperationKind.RECEIVE;
                this.tag = TAG;
            }
        }

        private Merges() {}

        public static void main(String[] args) throws IOException {
            Merges merges = new Merges();
            for (int i = 0; i < PEERS; i++) {
                merges.prepare(i);
            }
            merges.directory.targetForSend(merges.named[0]); // loads the classes
            merges.mergeInFullHeap(args.length > 0);
            int merged = 0;
            for (int i = 1; i < PEERS; i++) {
                merged += merges.inbound[i].successor == null ? 0 : 1;
                merges.receives.cancel(merges.receive[i], 1, TcpCodes.ECANCEL);
            }
            System.out.print(merged + " merged, " + merges.host.outcomes.size() + " ended");
        }

        private void prepare(int i) throws IOException {
            String name = "tcp://127.0.0.1:" + (FIRST_PORT + i);
            TcpPeer its = new TcpPeer(List.of(), "peer", 0);
            its.remote = InetAddress.getLoopbackAddress();
            its.handle(this);
            Connection connection = new Connection(SocketChannel.open(), its, true, its.remote);
            its.connections.add(connection);
            its.out = connection;
            state.connections.add(connection);
            directory.identify(connection, SourceHash.of(name));
            receive[i] = new Receive(its);
            receives.post(receive[i], its);
            inbound[i] = its;
            named[i] = directory.lookup(name);
            named[i].handle(this);
        }

        /** Whether the merge of a peer fails no caller, and goes on waiting until it is done. */
        private boolean waits(int i) {
            try {
                directory.sendsHaveLeft(inbound[i]);
                return inbound[i].awaitsMerge == (inbound[i].successor == null);
            } catch (OutOfMemoryError e) {
                return false;
            }
        }

        private boolean merges(int i) {
            try {
                directory.targetForSend(named[i]);
                return true;
            } catch (OutOfMemoryError e) {
                return false;
            }
        }

        private void mergeInFullHeap(boolean isLate) {
            Filler filler = new Filler();
            filler.fill();
            boolean isLeft = true;
            for (int i = 1; i < PEERS; i++) {
                inbound[i].awaitsMerge = isLate;
                while (inbound[i].successor == null && isLeft) {
                    if (!isLate && merges(i)) {
                        break;
                    }
                    isLeft = (!isLate || waits(i)) && filler.freeOne();
                }
            }
            filler.free();
        }
    }
}
