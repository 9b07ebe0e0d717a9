package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.WriteErrors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** The error of a write that finds the heap full, or nearly so, in a JVM of its own. */
@Timeout(60)
class FullHeapErrorsTest {
    /** One more, and the table of a hash map doubles. */
    private static final int BEFORE = 12;

    @Test
    void anErrorIsKeptWithItsClientOrNotAtAll() throws Exception {
        assertThat(FullHeap.outputOf(Child.class, "16m")).isEqualTo("wrong: 0");
    }

    /** Stores an error again and again, each time with a little more memory than the last time. */
    static final class Child {
        private static final int MOST_PIECES = 240;
        private static final int PIECES = 20;

        private final PeerAddress one = client(1);
        private final PeerAddress other = client(2);
        private int references;
        private @Nullable Object filler;
        private @Nullable Object last;

        public static void main(String[] args) {
            System.out.print(new Child().run());
            System.out.flush();
            Runtime.getRuntime().halt(0);
        }

        private PeerAddress client(long id) {
            return (PeerAddress)
                    Proxy.newProxyInstance(
                            PeerAddress.class.getClassLoader(),
                            new Class<?>[] {PeerAddress.class},
                            (proxy, method, arguments) -> {
                                references += method.getName().equals("retain") ? 1 : 0;
                                references -= method.getName().equals("release") ? 1 : 0;
                                return method.getName().equals("id") ? id : null;
                            });
        }

        private String run() {
            isRight(false, MOST_PIECES);
            int wrong = 0;
            for (int pieces = 0; pieces < MOST_PIECES; pieces += PIECES) {
                wrong += isRight(true, pieces) ? 0 : 1;
            }
            return "wrong: " + wrong;
        }

        private boolean isRight(boolean isFull, int pieces) {
            references = 0;
            WriteErrors errors = new WriteErrors(4 * BEFORE);
            for (int i = 0; i < BEFORE; i++) {
                errors.store(handle(i), Status.NOSPC, one);
            }
            FileHandle next = handle(BEFORE);
            if (isFull) {
                fill(pieces);
            }
            boolean isStored = false;
            try {
                errors.store(next, Status.IO, other);
                isStored = true;
            } catch (OutOfMemoryError e) {
                // It is not kept.
            }
            filler = null;
            last = null;
            boolean isRight = references == (isStored ? 2 : 1);
            isRight &= errors.take(next) == (isStored ? Status.IO : Status.OK);
            return isRight && references == 1;
        }

        private void fill(int pieces) {
            filler = FullHeap.fill(1 << 16, 1 << 5);
            Object[] small = FullHeap.fill(1, 1);
            for (int i = 0; i < pieces && small != null; i++) {
                small = (Object[]) small[0];
            }
            last = small;
        }

        private static FileHandle handle(int number) {
            ByteBuffer bytes = ByteBuffer.allocate(FileHandle.SIZE_BYTES);
            return FileHandle.of(bytes.putInt(FileHandle.RESERVED_BYTES, number).array());
        }
    }
}
