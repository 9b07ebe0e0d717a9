package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Timestamp;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** Names that end with a slash, times of new files, and what is left of files without a name. */
@Timeout(60)
class NamesAndTimesTest {
    private static final SettableAttributes PLAIN = SettableAttributes.ofMode(0644);

    @TempDir private Path folder;
    private Path export;
    private TestServer server;
    private Bmi bmi;
    private ZoidfsClient client;

    @BeforeEach
    void start() throws IOException {
        export = Files.createDirectory(folder.resolve("export"));
        server =
                TestServer.of(
                        export,
                        Dialect.MAIN,
                        settings -> settings.withIdleFileMs(60_000),
                        Limits.DEFAULT);
        bmi = Bmi.open();
        client = ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT);
    }

    @AfterEach
    void stop() {
        client.close();
        bmi.close();
        server.close();
    }

    private interface Failing {
        void run() throws IOException;
    }

    private static int status(Failing failing) {
        try {
            failing.run();
            return Status.OK;
        } catch (ZoidfsException e) {
            return e.status();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSlashBehindALinkTellsNothingOfWhatIsOutside() throws IOException {
        Files.createDirectory(folder.resolve("directory"));
        Files.createFile(folder.resolve("file"));
        for (String there : new String[] {"directory", "file", "nothing"}) {
            Files.createSymbolicLink(export.resolve("to-" + there), folder.resolve(there));
        }
        for (String there : new String[] {"directory", "file", "nothing"}) {
            FileSpec link = FileSpec.path("/to-" + there + "/");
            assertThat(status(() -> client.link(link, FileSpec.path("/new"))))
                    .as(there)
                    .isEqualTo(Status.NOENT);
        }
        Files.createDirectory(export.resolve("inside"));
        Files.createSymbolicLink(export.resolve("to-inside"), Path.of("inside"));
        FileSpec inside = FileSpec.path("/to-inside/");
        assertThat(status(() -> client.link(inside, FileSpec.path("/new")))).isEqualTo(Status.PERM);
        Files.createFile(export.resolve("plain"));
        FileSpec plain = FileSpec.path("/plain/");
        assertThat(status(() -> client.link(plain, FileSpec.path("/new"))))
                .isEqualTo(Status.NOTDIR);
        assertThat(export.resolve("new")).doesNotExist();
    }

    @Test
    void whatIsMadeHasTheTimesThatWereAskedFor() throws IOException {
        Timestamp read = new Timestamp(1_000_000, 5);
        Timestamp written = new Timestamp(2_000_000, 7);
        int mask = AttributeMask.MODE | AttributeMask.ATIME | AttributeMask.MTIME;
        SettableAttributes settable = new SettableAttributes(mask, 0755, 0, 0, 0, read, written);
        client.create(FileSpec.path("/f"), settable);
        client.makeDirectory(FileSpec.path("/d"), settable);
        Request symlink =
                Request.onNames(
                        Operation.SYMLINK,
                        FileSpec.path("text"),
                        FileSpec.path("/l"),
                        settable,
                        Hints.NONE);
        client.call(symlink, null, "symlink");
        for (String name : new String[] {"/f", "/d", "/l"}) {
            Attributes made = client.getAttributes(client.lookup(FileSpec.path(name)));
            assertThat(made.mtime()).as(name).isEqualTo(written);
            assertThat(made.atime()).as(name).isEqualTo(read);
        }
        SettableAttributes onlyWritten =
                new SettableAttributes(AttributeMask.MTIME, 0, 0, 0, 0, Timestamp.ZERO, written);
        client.create(FileSpec.path("/g"), onlyWritten);
        Attributes made = client.getAttributes(client.lookup(FileSpec.path("/g")));
        assertThat(made.mtime()).isEqualTo(written);
        assertThat(made.atime().seconds()).isGreaterThan(written.seconds());
        Timestamp none = new Timestamp(1, 1_000_000_000);
        SettableAttributes wrong =
                new SettableAttributes(AttributeMask.MTIME, 0, 0, 0, 0, Timestamp.ZERO, none);
        assertThatThrownBy(() -> client.create(FileSpec.path("/h"), wrong))
                .isInstanceOfSatisfying(
                        ZoidfsException.class, e -> assertThat(e.status()).isEqualTo(Status.INVAL));
        assertThat(export.resolve("h")).doesNotExist();
    }

    private FileHandle written(String name) throws IOException {
        FileHandle file = client.create(FileSpec.path(name), PLAIN).handle();
        client.write(file, MemorySegment.ofArray(new byte[1_000]), 0);
        return file;
    }

    @Test
    void aFileThatLostItsLastNameIsNotKeptOpen() throws IOException {
        int before = server.server().openFiles();
        written("/f");
        client.link(FileSpec.path("/f"), FileSpec.path("/other"));
        client.remove(FileSpec.path("/f"));
        assertThat(server.server().openFiles()).isGreaterThan(before);
        client.remove(FileSpec.path("/other"));
        assertThat(server.server().openFiles()).isEqualTo(before);
        written("/old");
        written("/new");
        int both = server.server().openFiles();
        client.rename(FileSpec.path("/new"), FileSpec.path("/old"));
        assertThat(server.server().openFiles()).isEqualTo(both - 1);
        // Two names of one file: the rename does nothing, and both stay.
        client.link(FileSpec.path("/old"), FileSpec.path("/twin"));
        client.rename(FileSpec.path("/old"), FileSpec.path("/twin"));
        assertThat(server.server().openFiles()).isEqualTo(both - 1);
    }

    @Test
    void aFileThatNobodyUsesIsNotKeptOpen() throws IOException {
        try (TestServer forgetful =
                        TestServer.of(
                                export,
                                Dialect.MAIN,
                                settings -> settings.withIdleFileMs(50),
                                Limits.DEFAULT);
                ZoidfsClient other =
                        ZoidfsClient.connect(bmi, forgetful.address(), ClientOptions.DEFAULT)) {
            FileHandle file = other.create(FileSpec.path("/f"), PLAIN).handle();
            other.write(file, MemorySegment.ofArray(new byte[10]), 0);
            Files.delete(export.resolve("f"));
            Await.until("the file is closed", () -> forgetful.server().openFiles() == 0);
            assertThat(status(() -> other.getAttributes(file))).isEqualTo(Status.STALE);
        }
    }
}
