package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Numbers that are larger than any message or time, and texts that no message carries. */
@Timeout(60)
class ClientBoundsTest extends ServerFeature {
    @Test
    void anyNumberOfEntriesCanBeAskedFor() throws Exception {
        try (TestServer server = TestServer.of(folder);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            ZoidfsClient zoidfs = client.zoidfs();
            zoidfs.create(FileSpec.path("/f"), PLAIN);
            FileHandle root = zoidfs.lookup(FileSpec.path("/"));
            for (int maximum : new int[] {43_690, 43_691, 5_600_000, Integer.MAX_VALUE}) {
                assertThat(zoidfs.readDirectory(root, 0, maximum, 0)).hasSize(3);
            }
            assertThat(zoidfs.readDirectory(root, 0, 2, 0)).hasSize(2);
        }
    }

    @Test
    void aClientMayWaitAsLongAsItLikes() throws Exception {
        ClientOptions patient = ClientOptions.DEFAULT.withTimeoutMs(Long.MAX_VALUE);
        try (TestServer server = TestServer.of(folder);
                Client client = Client.of(server, patient)) {
            ZoidfsClient zoidfs = client.zoidfs();
            FileHandle file = zoidfs.create(FileSpec.path("/f"), PLAIN).handle();
            MemorySegment large = random(8 << 20, 1);
            assertThat(zoidfs.write(file, large, 0)).isEqualTo(large.byteSize());
            MemorySegment back = MemorySegment.ofArray(new byte[8 << 20]);
            assertThat(zoidfs.read(file, back, 0)).isEqualTo(large.byteSize());
            assertThat(back.mismatch(large)).isEqualTo(-1);
        }
    }

    @Test
    void aTextThatTheWireCannotCarryIsRefused() {
        for (String text : List.of("\u6587", "a\ud83d\ude00", "\u0100")) {
            assertThatThrownBy(() -> FileSpec.path(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("wireText");
            assertThatThrownBy(() -> FileSpec.child(FileHandle.NONE, text))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Hints.of(Hints.POINTER_ID, text))
                    .isInstanceOf(IllegalArgumentException.class);
            String wire = ZoidfsClient.wireText(text);
            assertThat(ZoidfsClient.readableText(FileSpec.path(wire).text())).isEqualTo(text);
        }
        for (String text : List.of("\ud83d", "a\ude00b")) {
            assertThatThrownBy(() -> ZoidfsClient.wireText(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("surrogate");
        }
    }
}
