package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** What a program gets while its JVM has no memory left. */
@Timeout(60)
class FullHeapTest {
    @Test
    void aCloseIsWhole() throws Exception {
        assertThat(FullHeap.outputOf(Closes.class, "24m")).isEqualTo("closed, refused, 2 ended");
    }

    /**
     * Closes a server with a full heap. A client has connected to it, and waits for a message of
     * it.
     */
    static final class Closes {
        private Closes() {}

        public static void main(String[] args) throws IOException {
            Bmi first = server(); // loads the classes
            connect(first);
            first.close();
            Bmi server = server();
            int port = server.getOption(TcpOptions.PORT);
            try (Bmi client = connect(server);
                    CompletionContext context = client.openContext()) {
                PeerAddress peer = client.lookup("tcp://127.0.0.1:" + port);
                MemorySegment buffer = Arena.ofAuto().allocate(8);
                context.postReceive(peer, buffer, 1);
                context.postReceive(peer, buffer, 2);
                Object[] filler = {FullHeap.fill()};
                try {
                    server.close();
                } catch (OutOfMemoryError e) {
                    // What needs memory failed; the rest is done.
                }
                filler[0] = null;
                System.out.printf(
                        "%s, %s, %d ended",
                        server.isClosed() ? "closed" : "open", answerOf(port), countEnded(context));
            }
        }

        private static Bmi server() {
            return Bmi.builder().listen("tcp://127.0.0.1:0").open();
        }

        /** Returns a client of which the server has had a message. */
        private static Bmi connect(Bmi server) {
            Bmi client = Bmi.builder().open();
            int port = server.getOption(TcpOptions.PORT);
            PeerAddress peer = client.lookup("tcp://127.0.0.1:" + port);
            try (CompletionContext context = client.openContext()) {
                context.postSendUnexpected(peer, Arena.ofAuto().allocate(8), 1);
                UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
                while (server.testUnexpected(one, 1) == 0) {
                    context.testContext(Completions.ofCapacity(1), 0);
                }
                one.freeAll();
            }
            return client;
        }

        private static String answerOf(int port) throws IOException {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return "accepted";
            } catch (ConnectException e) {
                return "refused";
            }
        }

        private static int countEnded(CompletionContext context) {
            Completions done = Completions.ofCapacity(2);
            int ended = 0;
            for (int tests = 0; tests < 50 && ended < 2; tests++) {
                context.testContext(done, 100);
                for (int k = 0; k < done.count(); k++) {
                    ended += done.outcome(k) == ErrorCode.EPIPE ? 1 : 0;
                }
            }
            return ended;
        }
    }
}
