package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.Bmi;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.config.UserRights;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.os.RightsCalls;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;

/** Another user's rights. */
@Timeout(60)
class RightsTest extends ServerFeature {
    @Test
    void filesAreAccessedWithTheRightsOfAnotherUser() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "needs root");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectory(folder.resolve("theirs"));
        Files.writeString(folder.resolve("secret"), "root's own");
        Files.setPosixFilePermissions(
                folder.resolve("secret"), PosixFilePermissions.fromString("rw-------"));
        Files.setAttribute(folder.resolve("theirs"), "unix:uid", 65_534);
        UserRights nobody = new UserRights(65_534, 65_534, List.of());
        try (TestServer server =
                        TestServer.of(
                                folder, Dialect.MAIN, s -> s.withUser(nobody), Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            assertStatus(Status.ACCES, () -> client.zoidfs().create(FileSpec.path("/mine"), PLAIN));
            FileHandle secret = client.zoidfs().lookup(FileSpec.path("/secret"));
            assertStatus(Status.ACCES, () -> client.zoidfs().read(secret, random(1, 1), 0));
            FileHandle file = client.zoidfs().create(FileSpec.path("/theirs/f"), PLAIN).handle();
            assertThat(client.zoidfs().getAttributes(file).uid()).isEqualTo(65_534);
        }
    }

    @Test
    void whoMakesAFileMayWriteItWhateverItsMode() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "needs root");
        Files.setAttribute(folder, "unix:uid", 65_534);
        // The server may write it, and not read it: neither is needed to make it durable.
        Path written = Files.createFile(folder.resolve("written"));
        Files.setAttribute(written, "unix:uid", 65_534);
        Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("-w-------"));
        UserRights nobody = new UserRights(65_534, 65_534, List.of());
        try (TestServer server =
                        TestServer.of(
                                folder, Dialect.MAIN, s -> s.withUser(nobody), Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            ZoidfsClient zoidfs = client.zoidfs();
            FileHandle file = zoidfs.lookup(FileSpec.path("/written"));
            zoidfs.commit(file);
            assertThat(zoidfs.write(file, random(10, 1), 0)).isEqualTo(10);
            zoidfs.commit(file);
            assertStatus(Status.ACCES, () -> zoidfs.read(file, random(1, 1), 0));
            for (int mode : new int[] {0444, 0}) {
                FileHandle made =
                        zoidfs.create(
                                        FileSpec.path("/made" + mode),
                                        SettableAttributes.ofMode(mode))
                                .handle();
                assertThat(zoidfs.write(made, random(1_000, mode), 0)).isEqualTo(1_000);
                zoidfs.commit(made);
                assertThat(zoidfs.getAttributes(made).mode()).isEqualTo(mode);
                assertThat(Files.size(folder.resolve("made" + mode))).isEqualTo(1_000);
            }
        }
    }

    /** A system that fails to give rights when a test says so. */
    private static final class Refusing extends SystemCalls {
        private final IntPredicate isRefused;
        private final RightsCalls rights;

        Refusing(SystemCalls real, IntPredicate isRefused) {
            super(real);
            this.isRefused = isRefused;
            rights =
                    new RightsCalls(super.rights()) {
                        @Override
                        public boolean accessAs(int uid, int gid) {
                            return !isRefused.test(uid) && super.accessAs(uid, gid);
                        }
                    };
        }

        @Override
        public SystemCalls forOtherThread() {
            return new Refusing(super.forOtherThread(), isRefused);
        }

        @Override
        public RightsCalls rights() {
            return rights;
        }
    }

    @Test
    void anErrorThatEndsTheTrialOfTheRightsIsTold() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "needs root");
        Error error = new AssertionError("as if");
        SystemCalls calls =
                new Refusing(
                        SystemCalls.bind(),
                        uid -> {
                            throw error;
                        });
        ExportSettings export =
                ExportSettings.of(folder, ExportKey.random())
                        .withUser(new UserRights(65_534, 65_534, List.of()));
        try (Bmi bmi = Bmi.open()) {
            assertThatThrownBy(
                            () ->
                                    ZoidfsServer.serve(
                                            bmi, export, Dialect.MAIN, Limits.DEFAULT, calls))
                    .isInstanceOf(IOException.class)
                    .hasRootCause(error);
        }
    }

    /** A worker of a server, which takes the rights of a user and opens a handle. */
    @Test
    void aThreadThatDoesNotGetTheUsersRightsBackAsksAgain() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "needs root");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path secret = Files.writeString(folder.resolve("secret"), "root's own");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        UserRights nobody = new UserRights(65_534, 65_534, List.of());
        AtomicInteger user = new AtomicInteger();
        AtomicInteger left = new AtomicInteger();
        SystemCalls calls =
                new Refusing(
                        SystemCalls.bind(),
                        uid -> uid == user.get() && left.getAndUpdate(n -> n > 0 ? n - 1 : 0) > 0);
        ExportRoot root =
                new ExportRoot(
                        ExportSettings.of(folder, ExportKey.random()).withUser(nobody), calls);
        assumeTrue(root.handlesOutliveRestart(), "needs handles of the file system");
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread worker =
                Thread.ofPlatform()
                        .uncaughtExceptionHandler((thread, e) -> failure.set(e))
                        .start(() -> use(root, calls, secret, user, left));
        worker.join();
        root.close(calls);
        assertThat(failure).hasValue(null);
    }

    private static void use(
            ExportRoot root,
            SystemCalls calls,
            Path secret,
            AtomicInteger user,
            AtomicInteger left) {
        assertThat(root.enter(calls)).isTrue();
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path("/secret"), null, null, Hints.NONE);
        FileHandle handle =
                Objects.requireNonNull(new FileTree(root).run(calls, lookup, 0).handle());
        for (int refused : new int[] {65_534, 0}) {
            root.closeIdle(calls);
            user.set(refused);
            left.set(1);
            Request asking = Request.getAttr(handle, Attributes.asking(0), Hints.NONE);
            int status = new FileTree(root).run(calls, asking, 0).status();
            assertThat(status == Status.OK).isEqualTo(refused != 0);
            assertThat(status).isNotEqualTo(Status.STALE);
            assertThat(left).hasValue(0);
            assertThat(calls.open(SystemCalls.CURRENT_FOLDER, secret.toString(), 0, 0))
                    .isNegative();
        }
    }

    @Test
    void rightsThatCannotBeTakenAreAnErrorInWordsAtTheStart() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "needs root");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "needs setpriv");
        Process server =
                new ProcessBuilder(
                                "/usr/bin/setpriv",
                                "--bounding-set=-setuid",
                                ChildJvm.java(),
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ServesAsNobody.class.getName(),
                                folder.toString())
                        .redirectErrorStream(true)
                        .start();
        String said;
        try (var out = server.getInputStream()) {
            said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            server.destroyForcibly();
        }
        assertThat(said).contains("Only root, with the capabilities CAP_SETUID and CAP_SETGID");
    }

    /** Tries to serve with the rights of another user, and says what came of it. */
    static final class ServesAsNobody {
        private ServesAsNobody() {}

        public static void main(String[] args) {
            UserRights nobody = new UserRights(65_534, 65_534, List.of());
            try (TestServer server =
                    TestServer.of(
                            Path.of(args[0]),
                            Dialect.MAIN,
                            s -> s.withUser(nobody),
                            Limits.DEFAULT)) {
                System.out.println("serves at " + server.address());
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
