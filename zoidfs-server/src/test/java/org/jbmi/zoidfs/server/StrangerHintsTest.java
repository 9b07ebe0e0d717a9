package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Programs of a C client of the branch sfp, written down byte by byte: hints go and come back. */
@Timeout(60)
class StrangerHintsTest {
    private static final int TAG = 2;
    private static final int GET_ATTR = 1;
    private static final int SET_ATTR = 2;
    private static final int LOOKUP = 3;
    private static final int COMMIT = 5;
    private static final int CREATE = 6;
    private static final int WRITE = 13;
    private static final int READ = 14;
    private static final String APPEND = "ZOIDFS_ATOMIC_APPEND";
    private static final String OFFSET = "ZOIDFS_ATOMIC_APPEND_OFFSET";
    private static final String OPERATION = "ZOIDFS_SFP_OP";
    private static final String ID = "ZOIDFS_SFP_ID";
    private static final String VALUE = "ZOIDFS_SFP_VAL";

    @TempDir private Path folder;
    private TestServer server;
    private RawClient client;
    private byte[] file;

    @BeforeEach
    void start() throws IOException {
        Files.write(folder.resolve("f"), new byte[10]);
        server = TestServer.of(folder, Dialect.SFP, settings -> settings, Limits.DEFAULT);
        client = new RawClient(server.port());
        ByteBuffer reply = call(Words.of(LOOKUP).path("/f").hints("KEY", "value"));
        // A look-up brings no hints back.
        assertThat(reply.remaining()).isEqualTo(36);
        file = Arrays.copyOfRange(reply.array(), 4, 36);
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
    }

    private ByteBuffer call(Words request) throws IOException {
        return ByteBuffer.wrap(client.call(TAG, request.done()));
    }

    private static String string(ByteBuffer from) {
        byte[] bytes = new byte[from.getInt()];
        from.get(bytes);
        from.position(from.position() + (-bytes.length & 3));
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** The hints at the end of a reply, keys and values in turn; nothing is behind them. */
    private static List<String> hints(ByteBuffer reply) {
        List<String> all = new ArrayList<>();
        if (reply.getInt() != 0) {
            for (int left = reply.getInt(); left > 0; left--) {
                for (int i = 0; i < 2; i++) {
                    int length = reply.getInt();
                    String text = string(reply);
                    assertThat(length).isEqualTo(text.length() + 1);
                    all.add(text);
                }
            }
        }
        assertThat(reply.remaining()).isZero();
        return all;
    }

    /** Status 0, the sizes, and the hints. */
    private static List<String> written(ByteBuffer reply, long... sizes) {
        assertThat(reply.getInt()).isZero();
        assertThat(reply.getInt()).isEqualTo(sizes.length);
        for (long size : sizes) {
            assertThat(reply.getLong()).isEqualTo(size);
        }
        return hints(reply);
    }

    private ByteBuffer write(Words request, byte[] data) throws IOException {
        client.sendUnexpected(TAG, request.done());
        client.sendExpected(TAG, data);
        return ByteBuffer.wrap(client.receive(TAG));
    }

    @Test
    void hintsThatNobodyKnowsComeBackAsTheyWent() throws IOException {
        String[] some = {"KEY", "value", "KEY", "another", "", "", "EMPTY", ""};
        for (int operation : new int[] {GET_ATTR, SET_ATTR}) {
            Words request = Words.of(operation).raw(file);
            if (operation == SET_ATTR) {
                request.settable(0, 0, 0);
            }
            ByteBuffer reply = call(request.attributes(1).hints(some));
            assertThat(reply.getInt()).isZero();
            reply.position(88);
            assertThat(hints(reply)).containsExactly(some);
        }
        long[] five = {5};
        ByteBuffer reply =
                write(
                        Words.of(WRITE).unhinted(file, five, new long[1], five, 0).hints(some),
                        new byte[5]);
        assertThat(written(reply, 5)).containsExactly(some);
        // Without hints there is an empty list, which the client waits for.
        assertThat(
                        written(
                                write(
                                        Words.of(WRITE).regions(file, five, new long[1], five, 0),
                                        new byte[5]),
                                5))
                .isEmpty();
    }

    @Test
    void repliesOfOtherOperationsHaveNoHints() throws IOException {
        assertThat(call(Words.of(COMMIT).raw(file).hints("KEY", "value")).remaining()).isEqualTo(4);
        Words create = Words.of(CREATE).path("/g").settable(1, 0644, 0).hints("KEY", "value");
        assertThat(call(create).remaining()).isEqualTo(40);
        long[] five = {5};
        client.sendUnexpected(
                TAG,
                Words.of(READ)
                        .unhinted(file, five, new long[1], five, 0)
                        .hints("KEY", "value")
                        .done());
        assertThat(client.receive(TAG)).hasSize(5);
        assertThat(client.receive(TAG)).hasSize(16);
    }

    @Test
    void errorsHaveNoHints() throws IOException {
        byte[] unknown = new byte[32];
        long[] five = {5};
        Words get = Words.of(GET_ATTR).raw(unknown).attributes(1).hints("KEY", "value");
        assertThat(call(get).array()).isEqualTo(new Words().i(Status.STALE).done());
        Words write =
                Words.of(WRITE).unhinted(unknown, five, new long[1], five, 0).hints("KEY", "v");
        assertThat(write(write, new byte[5]).array()).isEqualTo(new Words().i(70).done());
    }

    @Test
    void appendsOfSeveralRegionsGoWhereTheFileEnds() throws IOException {
        long[] sizes = {3, 4};
        byte[] seven = {1, 2, 3, 4, 5, 6, 7};
        for (int i = 0; i < 3; i++) {
            Words request =
                    Words.of(WRITE)
                            .unhinted(file, new long[] {7}, new long[1], sizes, 0)
                            .hints("KEY", "value", APPEND, "1");
            assertThat(written(write(request, seven), sizes))
                    .containsExactly("KEY", "value", OFFSET, String.format("%020d", 10 + 7 * i));
        }
        byte[] found = Files.readAllBytes(folder.resolve("f"));
        assertThat(found).hasSize(31);
        for (int i = 0; i < 3; i++) {
            assertThat(Arrays.copyOfRange(found, 10 + 7 * i, 17 + 7 * i)).isEqualTo(seven);
        }
    }

    private ByteBuffer pointer(String... hints) throws IOException {
        return call(Words.of(GET_ATTR).raw(file).attributes(0).hints(hints));
    }

    private static List<String> told(ByteBuffer reply) {
        assertThat(reply.getInt()).isZero();
        reply.position(88);
        return hints(reply);
    }

    @Test
    void pointersAreSharedAndTheirErrorsAreTold() throws IOException {
        assertThat(pointer(OPERATION, "GET", ID, "p").array()).isEqualTo(words(Status.NOENT));
        assertThat(pointer(OPERATION, "GET").array()).isEqualTo(words(Status.INVAL));
        assertThat(pointer(OPERATION, "OTHER", ID, "p").array()).isEqualTo(words(Status.INVAL));
        assertThat(told(pointer(OPERATION, "CREATE", ID, "p", VALUE, "40")))
                .containsExactly(OPERATION, "CREATE", ID, "p", VALUE, "40");
        assertThat(pointer(OPERATION, "CREATE", ID, "p").array()).isEqualTo(words(Status.EXIST));
        assertThat(pointer(OPERATION, "FETCH_AND_ADD", ID, "p").array())
                .isEqualTo(words(Status.INVAL));
        assertThat(told(pointer(OPERATION, "FETCH_AND_ADD", ID, "p", VALUE, "2")))
                .endsWith(VALUE, "40");
        // By set_attr as well.
        ByteBuffer set =
                call(
                        Words.of(SET_ATTR)
                                .raw(file)
                                .settable(0, 0, 0)
                                .attributes(0)
                                .hints(OPERATION, "GET", ID, "p"));
        assertThat(told(set)).endsWith(VALUE, "42");
        assertThat(told(pointer(OPERATION, "REMOVE", ID, "p"))).endsWith(VALUE, "42");
        assertThat(pointer(OPERATION, "SET", ID, "p", VALUE, "1").array())
                .isEqualTo(words(Status.NOENT));
    }

    private static byte[] words(int status) {
        return new Words().i(status).done();
    }
}
