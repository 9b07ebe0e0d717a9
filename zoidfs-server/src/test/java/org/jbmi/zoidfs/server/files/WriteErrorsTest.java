package org.jbmi.zoidfs.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Errors of early answered writes, which wait for commits. */
@Timeout(30)
class WriteErrorsTest {
    private static final int MOST = 16;

    @TempDir private Path folder;
    private final WriteErrors errors = new WriteErrors(MOST);
    private final AtomicInteger references = new AtomicInteger();
    private boolean isHeapFull;
    private boolean isRetainFailing;

    private static FileHandle handle(int number) {
        ByteBuffer bytes = ByteBuffer.allocate(FileHandle.SIZE_BYTES);
        return FileHandle.of(bytes.putInt(FileHandle.RESERVED_BYTES, number).array());
    }

    private PeerAddress client(long id) {
        return (PeerAddress)
                Proxy.newProxyInstance(
                        PeerAddress.class.getClassLoader(),
                        new Class<?>[] {PeerAddress.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "id" -> {
                                        if (isHeapFull) {
                                            throw new OutOfMemoryError("played");
                                        }
                                        yield id;
                                    }
                                    case "retain" -> {
                                        if (isRetainFailing) {
                                            throw new OutOfMemoryError("played");
                                        }
                                        references.incrementAndGet();
                                        yield null;
                                    }
                                    case "release" -> {
                                        references.decrementAndGet();
                                        yield null;
                                    }
                                    default -> throw new AssertionError(method);
                                });
    }

    @Test
    void theFirstErrorOfAFileIsToldOnce() {
        errors.store(handle(1), Status.NOSPC, client(1));
        errors.store(handle(1), Status.IO, client(2));
        assertThat(errors.take(handle(1))).isEqualTo(Status.NOSPC);
        assertThat(errors.take(handle(1))).isEqualTo(Status.OK);
        assertThat(errors.take(handle(2))).isEqualTo(Status.OK);
        assertThat(references).hasValue(0);
    }

    @Test
    void anErrorThatCannotBeKeptLeavesNothing() {
        isHeapFull = true;
        assertThatThrownBy(() -> errors.store(handle(1), Status.NOSPC, client(1)))
                .isInstanceOf(OutOfMemoryError.class);
        isHeapFull = false;
        assertThat(errors.take(handle(1))).isEqualTo(Status.OK);
        assertThat(references).hasValue(0);
    }

    @Test
    void anErrorWhoseClientCannotBeKeptCountsForNobody() {
        isRetainFailing = true;
        for (int i = 0; i < MOST; i++) {
            assertThatThrownBy(() -> errors.store(handle(1), Status.NOSPC, client(1)))
                    .isInstanceOf(OutOfMemoryError.class);
        }
        isRetainFailing = false;
        assertThat(errors.hasRoom(client(1))).isTrue();
        assertThat(references).hasValue(0);
        errors.store(handle(1), Status.NOSPC, client(1));
        assertThat(references).hasValue(1);
    }

    @Test
    void aClientThatLeavesManyErrorsLeavesRoomForOthersAndTakesNone() {
        for (int i = 0; i < MOST / 2; i++) {
            assertThat(errors.hasRoom(client(1))).isTrue();
            errors.store(handle(i), Status.NOSPC, client(1));
        }
        assertThat(errors.hasRoom(client(1))).isFalse();
        assertThat(errors.hasRoom(client(2))).isTrue();
        // Of writes that were under way.
        for (int i = MOST / 2; i < MOST; i++) {
            errors.store(handle(i), Status.FBIG, client(1));
        }
        assertThat(errors.hasRoom(client(2))).isFalse();
        errors.store(handle(MOST), Status.IO, client(2));
        assertThat(errors.take(handle(MOST))).isEqualTo(Status.IO);
        assertThat(errors.hasRoom(client(2))).isFalse();
        assertThat(errors.take(handle(0))).isEqualTo(Status.NOSPC);
        assertThat(errors.hasRoom(client(2))).isTrue();
        assertThat(references).hasValue(1);
        errors.close();
        assertThat(errors.isEmpty()).isTrue();
        assertThat(errors.hasRoom(client(1))).isTrue();
        assertThat(references).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theServerSeesWhichFilesAreGone(boolean byFileSystem) throws IOException {
        SystemCalls calls = SystemCalls.bind();
        ExportSettings settings = ExportSettings.of(folder, ExportKey.random());
        ExportRoot root =
                new ExportRoot(
                        byFileSystem ? settings : settings.withoutFileSystemHandles(), calls);
        Path file = Files.createFile(folder.resolve("f"));
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path("/f"), null, null, Hints.NONE);
        FileHandle handle =
                Objects.requireNonNull(new FileTree(root).run(calls, lookup, 0).handle());
        assertThat(root.isGone(calls, handle)).isFalse();
        Files.delete(file);
        assertThat(root.isGone(calls, handle)).isTrue();
        root.close(calls);
    }

    /** A folder that a user may not enter for a while. */
    @Test
    void aFileThatMayNotBeOpenedIsNotGone() throws IOException {
        AtomicInteger fault = new AtomicInteger();
        AtomicReference<String> goneName = new AtomicReference<>("");
        SystemCalls calls =
                new SystemCalls(SystemCalls.bind()) {
                    @Override
                    public int openBeneath(int directory, String path, int flags) {
                        int found = path.equals(goneName.get()) ? -Errno.ENOENT : fault.get();
                        return found < 0 ? found : super.openBeneath(directory, path, flags);
                    }
                };
        ExportSettings settings = ExportSettings.of(folder, ExportKey.random());
        ExportRoot root = new ExportRoot(settings.withoutFileSystemHandles(), calls);
        Files.createFile(folder.resolve("f"));
        Files.createLink(folder.resolve("g"), folder.resolve("f"));
        FileHandle handle = lookUp(root, calls, "/f");
        lookUp(root, calls, "/g");
        fault.set(-Errno.EACCES);
        assertThat(root.isGone(calls, handle)).isFalse();
        for (String gone : List.of("/g", "/f")) { // one name is gone, the other may not be opened
            goneName.set(gone);
            assertThat(root.isGone(calls, handle)).isFalse();
            goneName.set("");
            fault.set(0);
            lookUp(root, calls, gone); // a name that is gone is forgotten
            fault.set(-Errno.EACCES);
        }
        fault.set(-Errno.ENOTDIR);
        assertThat(root.isGone(calls, handle)).isTrue();
        root.close(calls);
    }

    private static FileHandle lookUp(ExportRoot root, SystemCalls calls, String path) {
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path(path), null, null, Hints.NONE);
        return Objects.requireNonNull(new FileTree(root).run(calls, lookup, 0).handle());
    }
}
