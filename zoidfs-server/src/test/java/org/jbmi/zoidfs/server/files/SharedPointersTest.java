package org.jbmi.zoidfs.server.files;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** Shared pointers of clients that are not there. */
class SharedPointersTest {
    private static final int NEVER = -1;
    private static final int PLACES = 3;

    private final SharedPointers pointers = new SharedPointers(PLACES);
    private int references;
    private int questionsLeft = NEVER;

    private PeerAddress client(long id) {
        return (PeerAddress)
                Proxy.newProxyInstance(
                        PeerAddress.class.getClassLoader(),
                        new Class<?>[] {PeerAddress.class},
                        (proxy, method, arguments) -> {
                            references += method.getName().equals("retain") ? 1 : 0;
                            references -= method.getName().equals("release") ? 1 : 0;
                            return method.getName().equals("id") ? idOf(id) : null;
                        });
    }

    private Long idOf(long id) {
        if (questionsLeft != NEVER && questionsLeft-- == 0) {
            throw new OutOfMemoryError("planted by the test");
        }
        return id;
    }

    private int apply(String operation, long client, String name) {
        FileHandle handle =
                FileHandle.of(ByteBuffer.allocate(FileHandle.SIZE_BYTES).putInt(4, 1).array());
        Hints hints =
                Hints.of(Hints.POINTER_OPERATION, operation)
                        .with(Hints.POINTER_ID, name)
                        .with(Hints.POINTER_VALUE, "7");
        Request request = Request.getAttr(handle, Attributes.asking(0), hints);
        Reply reply = Reply.attributes(Attributes.asking(0), Hints.NONE);
        return pointers.apply(client(client), request, reply).status();
    }

    @Test
    void aClientKeepsItsNumberWhileItHasPointers() {
        assertThat(apply("CREATE", 1, "a")).isEqualTo(Status.OK);
        assertThat(apply("CREATE", 2, "a")).isEqualTo(Status.EXIST);
        assertThat(references).isEqualTo(1);
        assertThat(apply("REMOVE", 2, "a")).isEqualTo(Status.OK);
        assertThat(references).isZero();
        assertThat(apply("GET", 1, "a")).isEqualTo(Status.NOENT);
    }

    /** Else a place would be lost, and clients would get no pointer any more. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void aCreateThatFindsNoMemoryLeavesNothing(int questions) {
        questionsLeft = questions;
        boolean isMade = false;
        try {
            isMade = apply("CREATE", 1, "a") == Status.OK;
        } catch (OutOfMemoryError e) {
            // It is not made.
        }
        questionsLeft = NEVER;
        assertThat(references).isEqualTo(isMade ? 1 : 0);
        assertThat(apply("GET", 2, "a")).isEqualTo(isMade ? Status.OK : Status.NOENT);
        for (int i = 0; i < 2 * PLACES; i++) {
            assertThat(apply("CREATE", 10 + i, "new" + i)).isEqualTo(Status.OK);
        }
        assertThat(references).isEqualTo(PLACES);
        pointers.close();
        assertThat(references).isZero();
    }
}
