package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Programs of a C client that nobody recorded, written down byte by byte: nothing of the codecs of
 * this project is between the test and the wire.
 */
@Timeout(60)
class StrangerTest {
    private static final int TAG = 2;
    private static final int GET_ATTR = 1;
    private static final int SET_ATTR = 2;
    private static final int LOOKUP = 3;
    private static final int READLINK = 4;
    private static final int CREATE = 6;
    private static final int REMOVE = 7;
    private static final int RENAME = 8;
    private static final int SYMLINK = 9;
    private static final int MKDIR = 10;
    private static final int READDIR = 11;
    private static final int RESIZE = 12;
    private static final int WRITE = 13;
    private static final int READ = 14;
    private static final int LINK = 15;
    private static final int ATIME = 1 << 8;
    private static final int MTIME = 1 << 9;
    private static final int SIZE = 1 << 4;

    @TempDir private Path folder;
    private TestServer server;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        server = TestServer.of(folder);
        client = new RawClient(server.port());
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
    }

    private ByteBuffer call(Words request) throws IOException {
        return ByteBuffer.wrap(client.call(TAG, request.done()));
    }

    private int status(Words request) throws IOException {
        ByteBuffer reply = call(request);
        int status = reply.getInt();
        assertThat(reply.remaining() == 0 || status == 0).isTrue();
        return status;
    }

    private byte[] lookup(String path) throws IOException {
        ByteBuffer reply = call(Words.of(LOOKUP).path(path).i(0));
        assertThat(reply.remaining()).isEqualTo(36);
        assertThat(reply.getInt()).isZero();
        byte[] handle = new byte[32];
        reply.get(handle);
        return handle;
    }

    private int create(String path) throws IOException {
        return status(Words.of(CREATE).path(path).settable(1, 0640, 0).i(0));
    }

    private long size(byte[] handle) throws IOException {
        ByteBuffer reply = call(Words.of(GET_ATTR).raw(handle).attributes(SIZE).i(0));
        assertThat(reply.remaining()).isEqualTo(88);
        assertThat(reply.getInt()).isZero();
        return reply.getLong(4 + 24);
    }

    private void send(Words request, byte[]... messages) throws IOException {
        client.sendUnexpected(TAG, request.done());
        for (byte[] message : messages) {
            client.sendExpected(TAG, message);
        }
    }

    private static byte[] bytes(int count, int first) {
        byte[] some = new byte[count];
        for (int i = 0; i < count; i++) {
            some[i] = (byte) (first + i);
        }
        return some;
    }

    /** The sizes in a reply of a read or write that went well. */
    private long[] sizes() throws IOException {
        ByteBuffer reply = ByteBuffer.wrap(client.receive(TAG));
        assertThat(reply.getInt()).isZero();
        long[] sizes = new long[reply.getInt()];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = reply.getLong();
        }
        assertThat(reply.remaining()).isZero();
        return sizes;
    }

    private void assertQuiet() throws IOException {
        assertThat(call(Words.of(0)).array()).containsExactly(0, 0, 0, 0);
        assertThat(client.isQuiet()).isTrue();
    }

    @Test
    void regionsAreCutAnewOnEitherSideAndInMessages() throws IOException {
        assertThat(create("/f")).isZero();
        byte[] file = lookup("/f");
        byte[] stream = bytes(100, 1);
        // Three regions of memory, four of the file, one of them empty, in messages of 33 bytes.
        Words write =
                Words.of(WRITE)
                        .regions(
                                file,
                                new long[] {50, 0, 50},
                                new long[] {200, 10, 500, 0},
                                new long[] {40, 30, 0, 30},
                                33);
        send(
                write,
                Arrays.copyOfRange(stream, 0, 33),
                Arrays.copyOfRange(stream, 33, 66),
                Arrays.copyOfRange(stream, 66, 99),
                Arrays.copyOfRange(stream, 99, 100));
        assertThat(sizes()).containsExactly(40, 30, 0, 30);
        byte[] content = Files.readAllBytes(folder.resolve("f"));
        assertThat(content).hasSize(240);
        assertThat(Arrays.copyOfRange(content, 200, 240)).isEqualTo(bytes(40, 1));
        // The last region lies over the one before.
        assertThat(Arrays.copyOfRange(content, 0, 30)).isEqualTo(bytes(30, 71));
        assertThat(Arrays.copyOfRange(content, 30, 40)).isEqualTo(bytes(10, 61));
        // Back in one region of memory, the file's last part beyond its end.
        Words read =
                Words.of(READ)
                        .regions(
                                file,
                                new long[] {60},
                                new long[] {220, 1_000, 30},
                                new long[] {30, 20, 10},
                                0);
        send(read);
        byte[] found = client.receive(TAG);
        assertThat(found).hasSize(60);
        assertThat(Arrays.copyOfRange(found, 0, 20)).isEqualTo(bytes(20, 21));
        assertThat(Arrays.copyOfRange(found, 20, 50)).containsOnly(0);
        assertThat(Arrays.copyOfRange(found, 50, 60)).isEqualTo(bytes(10, 61));
        assertThat(sizes()).containsExactly(20, 0, 10);
        assertQuiet();
    }

    @Test
    void asManyRegionsAsARequestHoldsAreMoved() throws IOException {
        assertThat(create("/f")).isZero();
        byte[] file = lookup("/f");
        int regions = 679;
        long[] ones = new long[regions];
        long[] starts = new long[regions];
        Arrays.fill(ones, 1);
        Arrays.setAll(starts, i -> 2L * i);
        Words write = Words.of(WRITE).regions(file, ones, starts, ones, 0);
        assertThat(write.done().length).isBetween(16_000, 16_384);
        send(write, bytes(regions, 0));
        assertThat(sizes()).isEqualTo(ones);
        byte[] content = Files.readAllBytes(folder.resolve("f"));
        assertThat(content).hasSize(2 * regions - 1);
        send(Words.of(READ).regions(file, ones, starts, ones, 100));
        byte[] back = new byte[0];
        for (int i = 0; i < 7; i++) {
            byte[] part = client.receive(TAG);
            assertThat(part).hasSize(i < 6 ? 100 : 79);
            back = Arrays.copyOf(back, back.length + part.length);
            System.arraycopy(part, 0, back, back.length - part.length, part.length);
        }
        assertThat(back).isEqualTo(bytes(regions, 0));
        assertThat(sizes()).isEqualTo(ones);
        assertQuiet();
    }

    @Test
    void nothingIsMovedInOneEmptyMessageOrNone() throws IOException {
        assertThat(create("/f")).isZero();
        byte[] file = lookup("/f");
        long[] none = {};
        long[] empty = {0};
        send(Words.of(WRITE).regions(file, empty, empty, empty, 0), new byte[0]);
        assertThat(sizes()).containsExactly(0);
        send(Words.of(READ).regions(file, empty, empty, empty, 0));
        assertThat(client.receive(TAG)).isEmpty();
        assertThat(sizes()).containsExactly(0);
        // In messages of a length there are none of them.
        send(Words.of(WRITE).regions(file, empty, empty, empty, 10));
        assertThat(sizes()).containsExactly(0);
        send(Words.of(READ).regions(file, empty, empty, empty, 10));
        assertThat(sizes()).containsExactly(0);
        // Without any region, too.
        send(Words.of(WRITE).regions(file, none, none, none, 0), new byte[0]);
        assertThat(sizes()).isEmpty();
        send(Words.of(READ).regions(file, none, none, none, 0));
        assertThat(client.receive(TAG)).isEmpty();
        assertThat(sizes()).isEmpty();
        assertThat(size(file)).isZero();
        assertQuiet();
    }

    @Test
    void whatIsNoFileMovesItsDataAndThenFails() throws IOException {
        Files.createDirectory(folder.resolve("d"));
        Files.createSymbolicLink(folder.resolve("l"), Path.of("d"));
        byte[] unknown = new byte[32];
        unknown[20] = 5;
        byte[][] handles = {lookup("/d"), lookup("/l"), unknown, new byte[32]};
        int[] expected = {Status.ISDIR, Status.INVAL, Status.STALE, Status.STALE};
        long[] ten = {10};
        for (int i = 0; i < handles.length; i++) {
            send(
                    Words.of(WRITE).regions(handles[i], ten, new long[1], ten, 6),
                    new byte[6],
                    new byte[4]);
            assertThat(client.receive(TAG)).isEqualTo(new Words().i(expected[i]).done());
            send(Words.of(READ).regions(handles[i], ten, new long[1], ten, 6));
            assertThat(client.receive(TAG)).hasSize(6).containsOnly(0);
            assertThat(client.receive(TAG)).hasSize(4).containsOnly(0);
            assertThat(client.receive(TAG)).isEqualTo(new Words().i(expected[i]).done());
        }
        assertQuiet();
    }

    @Test
    void aMessageThatIsNotAsLongAsAnnouncedIsAnError() throws IOException {
        assertThat(create("/f")).isZero();
        byte[] file = lookup("/f");
        long[] ten = {10};
        send(Words.of(WRITE).regions(file, ten, new long[1], ten, 5), new byte[5], new byte[3]);
        assertThat(client.receive(TAG)).isEqualTo(new Words().i(Status.INVAL).done());
        assertQuiet();
    }

    @Test
    void linksAreToldInTheRoomThatThereIs() throws IOException {
        String text = "some/where/else";
        Words symlink = Words.of(SYMLINK).path("/" + text).path("/l").settable(0, 0, 0).i(0);
        assertThat(call(symlink).remaining()).isEqualTo(92);
        byte[] link = lookup("/l");
        for (long room : new long[] {0, 1, 2, 16, 17, 18, 4_097, -1}) {
            ByteBuffer reply = call(Words.of(READLINK).raw(link).l(room).i(0));
            assertThat(reply.getInt()).isZero();
            int length = reply.getInt();
            int expected = room < 0 ? 16 : (int) Math.min(16, Math.max(0, room - 1));
            assertThat(length).as("room " + room).isEqualTo(expected);
            // What the C client has room for.
            assertThat(reply.limit()).isEqualTo(8 + (length + 3) / 4 * 4);
        }
        assertThat(status(Words.of(READLINK).raw(lookup("/")).l(100).i(0))).isEqualTo(Status.OTHER);
    }

    @Test
    void namesBelowHandlesAreThoseOfTheDirectory() throws IOException {
        Files.createDirectories(folder.resolve("d/e"));
        Files.createFile(folder.resolve("d/e/f"));
        byte[] d = lookup("/d");
        byte[] f = lookup("/d//e/./f");
        for (String name : new String[] {"", ".", "e/..", "e/../"}) {
            ByteBuffer reply = call(Words.of(LOOKUP).below(d, name).i(0));
            assertThat(reply.getInt()).as(name).isZero();
            assertThat(Arrays.copyOfRange(reply.array(), 4, 36)).as(name).isEqualTo(d);
        }
        for (String name : new String[] {"e/f", "e//f", "../d/e/f"}) {
            ByteBuffer reply = call(Words.of(LOOKUP).below(d, name).i(0));
            assertThat(reply.getInt()).as(name).isZero();
            assertThat(Arrays.copyOfRange(reply.array(), 4, 36)).as(name).isEqualTo(f);
        }
        assertThat(lookup("/d/")).isEqualTo(d);
        assertThat(status(Words.of(LOOKUP).path("/d/e/f/").i(0))).isEqualTo(Status.NOTDIR);
        assertThat(status(Words.of(LOOKUP).path("/d/e/f/g").i(0))).isEqualTo(Status.NOTDIR);
        assertThat(status(Words.of(LOOKUP).below(f, "g").i(0))).isEqualTo(Status.NOTDIR);
        assertThat(status(Words.of(REMOVE).below(d, "").i(0))).isNotZero();
        assertThat(status(Words.of(REMOVE).below(d, "..").i(0))).isNotZero();
        assertThat(folder.resolve("d/e/f")).exists();
    }

    @Test
    void timesAreSetOneByOneAndOtherBitsDoNothing() throws IOException {
        assertThat(create("/f")).isZero();
        byte[] file = lookup("/f");
        Words atime = Words.of(SET_ATTR).raw(file).settable(ATIME, 0, 1_000).attributes(0).i(0);
        assertThat(status(atime)).isZero();
        Words mtime = Words.of(SET_ATTR).raw(file).settable(MTIME, 0, 2_000).attributes(0).i(0);
        assertThat(status(mtime)).isZero();
        // The upper half of a short word means nothing, and a size is not set.
        int odd = 0x7fff0000 | SIZE;
        Words nothing = Words.of(SET_ATTR).raw(file).settable(odd, 0, 3).attributes(0xfff).i(0);
        assertThat(status(nothing)).isZero();
        ByteBuffer reply =
                call(Words.of(GET_ATTR).raw(file).attributes(ATIME | MTIME | SIZE | 1).i(0));
        assertThat(reply.getInt(4)).isEqualTo(1);
        assertThat(reply.getInt(4 + 8)).isEqualTo(0640);
        assertThat(reply.getLong(4 + 24)).isZero();
        assertThat(reply.getLong(4 + 48)).isEqualTo(1_000);
        assertThat(reply.getLong(4 + 60)).isEqualTo(2_000);
    }

    @Test
    void directoriesAreListedInPartsOfAnyLength() throws IOException {
        for (int i = 0; i < 20; i++) {
            Files.createFile(folder.resolve("file" + i));
        }
        byte[] root = lookup("/");
        for (int most : new int[] {1, 7, 1_000, 43_690, -1}) {
            long cookie = 0;
            int seen = 0;
            while (true) {
                ByteBuffer reply = call(Words.of(READDIR).raw(root).l(cookie).i(most).i(0).i(0));
                assertThat(reply.getInt()).isZero();
                int count = reply.getInt();
                assertThat(reply.getInt()).isEqualTo(count);
                assertThat(Integer.compareUnsigned(count, most)).isNotPositive();
                for (int i = 0; i < count; i++) {
                    int length = reply.getInt();
                    reply.position(reply.position() + (length + 3) / 4 * 4);
                    byte[] unasked = new byte[32 + 84];
                    reply.get(unasked);
                    assertThat(unasked).containsOnly(0);
                    cookie = reply.getLong();
                }
                assertThat(reply.remaining()).isEqualTo(44);
                seen += count;
                if (count == 0) {
                    break;
                }
            }
            assertThat(seen).as("most " + most).isEqualTo(22);
        }
        assertThat(call(Words.of(READDIR).raw(root).l(0).i(0).i(0).i(0)).limit()).isEqualTo(56);
        assertThat(status(Words.of(READDIR).raw(lookup("/file1")).l(0).i(5).i(0).i(0)))
                .isEqualTo(Status.NOTDIR);
        assertThat(status(Words.of(READDIR).raw(root).l(-1).i(5).i(0).i(0)))
                .isEqualTo(Status.INVAL);
    }

    @Test
    void aListIsAsLongAsTheClientHasRoomFor() throws IOException {
        int files = 1_300;
        for (int i = 0; i < files; i++) {
            Files.createFile(folder.resolve("file" + i));
        }
        byte[] root = lookup("/");
        // A program may take a list that is shorter than its room for the last one.
        for (int most : new int[] {1_200, 43_690}) {
            ByteBuffer reply = call(Words.of(READDIR).raw(root).l(0).i(most).i(0).i(0));
            assertThat(reply.getInt()).isZero();
            assertThat(reply.getInt()).isEqualTo(Math.min(most, files + 2));
        }
    }

    @Test
    void foldersCanBeDeeperThanAnyPath() throws IOException {
        String name = "n".repeat(250);
        byte[] parent = lookup("/");
        int status = 0;
        int depth = 0;
        while (status == 0 && depth < 20) {
            status = status(Words.of(MKDIR).below(parent, name).settable(1, 0755, 0).i(0));
            if (status == 0) {
                depth++;
                ByteBuffer reply = call(Words.of(LOOKUP).below(parent, name).i(0));
                assertThat(reply.getInt()).isZero();
                byte[] made = new byte[32];
                reply.get(made);
                if (status(Words.of(GET_ATTR).raw(made).attributes(SIZE).i(0)) != 0) {
                    // Too deep to be told where it is; its parent still leads to it.
                    assertThat(status(Words.of(READDIR).raw(made).l(0).i(5).i(0).i(0)))
                            .isEqualTo(Status.NAMETOOLONG);
                    assertThat(status(Words.of(REMOVE).below(parent, name).i(0))).isZero();
                    return;
                }
                parent = made;
            }
        }
        throw new AssertionError("At depth " + depth + " it is " + status);
    }

    @Test
    void whatCannotBeDoneIsSaidByItsNumber() throws IOException {
        Files.createDirectories(folder.resolve("d/e"));
        assertThat(create("/f")).isZero();
        assertThat(create("/f")).isZero();
        assertThat(create("/d")).isEqualTo(Status.ISDIR);
        assertThat(create("/none/f")).isEqualTo(Status.NOENT);
        assertThat(create("/f/g")).isEqualTo(Status.NOTDIR);
        assertThat(create("/" + "n".repeat(256))).isEqualTo(Status.NAMETOOLONG);
        assertThat(status(Words.of(MKDIR).path("/d").settable(0, 0, 0).i(0)))
                .isEqualTo(Status.EXIST);
        assertThat(status(Words.of(REMOVE).path("/d").i(0))).isEqualTo(Status.NOTEMPTY);
        assertThat(status(rename("/none", "/x"))).isEqualTo(Status.NOENT);
        assertThat(status(rename("/f", "/d"))).isEqualTo(Status.ISDIR);
        assertThat(status(rename("/d/e", "/f"))).isEqualTo(Status.NOTDIR);
        assertThat(status(rename("/d", "/d/e/x"))).isEqualTo(Status.OTHER);
        assertThat(status(rename("/f", "/f"))).isZero();
        assertThat(status(link("/f", "/d"))).isEqualTo(Status.EXIST);
        assertThat(status(link("/d", "/x"))).isEqualTo(Status.PERM);
        assertThat(call(link("/f", "/g")).limit()).isEqualTo(92);
        byte[] file = lookup("/f");
        assertThat(status(Words.of(RESIZE).raw(file).l(-1).i(0))).isEqualTo(Status.FBIG);
        assertThat(status(Words.of(RESIZE).raw(lookup("/d")).l(1).i(0))).isEqualTo(Status.ISDIR);
        assertThat(status(Words.of(RESIZE).raw(file).l(5).i(0))).isZero();
        assertThat(size(lookup("/g"))).isEqualTo(5);
        assertThat(status(Words.of(16))).isEqualTo(Status.NOTIMPL);
        assertThat(status(Words.of(RESIZE).raw(file))).isEqualTo(Status.XDR);
        assertQuiet();
    }

    private static Words rename(String from, String to) {
        return Words.of(RENAME).path(from).path(to).i(0);
    }

    private static Words link(String from, String to) {
        return Words.of(LINK).path(from).path(to).i(0);
    }
}
