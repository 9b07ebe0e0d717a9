package org.jbmi.tools.zoidfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZoidfsMain;
import org.jbmi.tools.cli.CommandRun;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A server in a process of its own, and the commands that reach it. */
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ZoidfsCommandsTest {
    @TempDir private Path folder;

    private static CommandRun run(String... args) {
        return CommandRun.of(new ZoidfsMain(), args);
    }

    private ProgramRun serving(Path export, String... options) throws Exception {
        List<String> serve = new ArrayList<>(List.of("serve", "--export", export.toString()));
        serve.addAll(List.of("--state", folder.resolve("state").toString()));
        serve.addAll(List.of(options));
        serve.add("tcp://127.0.0.1:0");
        return ProgramRun.start(ZoidfsMain.class, List.of(), serve.toArray(String[]::new));
    }

    private static String addressOf(ProgramRun server) throws Exception {
        return server.awaitLine(line -> line.startsWith("ready ")).substring("ready ".length());
    }

    @Test
    void filesGoThereAndBack() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        byte[] bytes = new byte[(9 << 20) + 17];
        new Random(1).nextBytes(bytes);
        Path source = Files.write(folder.resolve("source"), bytes);
        try (ProgramRun server = serving(export, "--metrics", "0")) {
            String metrics = server.awaitLine(line -> line.startsWith("metrics ")).substring(8);
            String address = addressOf(server);
            CommandRun there = run("cp", "--progress", source.toString(), address + "/copy");
            assertThat(there.err()).contains(bytes.length + " of " + bytes.length + " bytes");
            assertThat(there.status()).isZero();
            assertThat(Files.readAllBytes(export.resolve("copy"))).isEqualTo(bytes);
            CommandRun back = run("cp", address + "/copy", folder.resolve("back").toString());
            assertThat(back.status()).isZero();
            assertThat(Files.readAllBytes(folder.resolve("back"))).isEqualTo(bytes);
            assertThat(run("ls", address).out()).isEqualTo(String.format("copy%n"));
            assertThat(run("ls", "-l", address + "/").out())
                    .contains(" " + bytes.length + " ")
                    .startsWith("-0644");
            assertThat(run("stat", address + "/copy").out()).contains("handle 00000000");
            CommandRun missing = run("stat", address + "/missing");
            assertThat(missing.status()).isEqualTo(1);
            assertThat(missing.err()).contains("/missing: no such file or directory");
            assertThat(page(metrics)).contains("zoidfs_calls_total{operation=\"write\"}");
            CommandRun figures = run("stat", address);
            assertThat(figures.out())
                    .containsPattern("(?m)^write +\\d+ +0 +" + bytes.length + " .* %$")
                    .containsPattern("calls under way [12]\\b") // the one before may still count
                    .contains("silent clients 0");
            assertThat(run("stat", "--prometheus", address).out())
                    .contains("zoidfs_queue_seconds_total{operation=\"read\"}");
            assertThat(run("stat", "--prometheus", address + "/").status()).isEqualTo(2);
            assertNothingIsLost(export, address);
            server.process().destroy();
            assertThat(server.awaitEnd()).isZero();
        }
    }

    /** The server may export the very file to which, or from which, it is copied. */
    @Test
    void aFileThatIsCopiedOntoItselfKeepsItsContents() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        byte[] bytes = new byte[(9 << 20) + 17];
        new Random(2).nextBytes(bytes);
        Path file = Files.write(export.resolve("file"), bytes);
        try (ProgramRun server = serving(export)) {
            String location = addressOf(server) + "/file";
            assertThat(run("cp", location, file.toString()).status()).isZero();
            assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
            assertThat(run("cp", file.toString(), location).status()).isZero();
            assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
        }
    }

    @Test
    void aCopyReplacesALongerFile() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        Path file = Files.writeString(folder.resolve("file"), "short");
        Path served = Files.writeString(export.resolve("served"), "much longer");
        Path longer = Files.writeString(folder.resolve("longer"), "much longer");
        Set<PosixFilePermission> mode = PosixFilePermissions.fromString("rw-------");
        Files.setPosixFilePermissions(longer, mode);
        try (ProgramRun server = serving(export)) {
            String location = addressOf(server) + "/served";
            assertThat(run("cp", file.toString(), location).status()).isZero();
            assertThat(served).hasContent("short");
            assertThat(run("cp", location, longer.toString()).status()).isZero();
            assertThat(longer).hasContent("short");
            assertThat(Files.getPosixFilePermissions(longer)).isEqualTo(mode);
        }
    }

    @Test
    void namesThatAreNotUtf8AreSaidToBeOutOfReach() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        Files.createFile(export.resolve("plain"));
        String make = "for name in 'caf\\351' 'caf\\350'; do : > \"$(printf $name)\"; done";
        Process shell = new ProcessBuilder("sh", "-c", make).directory(export.toFile()).start();
        assertThat(shell.waitFor()).isZero();
        try (ProgramRun server = serving(export)) {
            CommandRun list = run("ls", addressOf(server));
            assertThat(list.status()).isZero();
            assertThat(list.out()).isEqualTo(String.format("caf\ufffd%ncaf\ufffd%nplain%n"));
            assertThat(list.err()).contains("2 of the names are not UTF-8");
        }
    }

    /** A copy of as many bytes as they say they have would empty the target. */
    @Test
    void whatDoesNotTellItsLengthIsNotCopied() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        Path served = Files.writeString(export.resolve("kept"), "there");
        Path kept = Files.writeString(folder.resolve("kept"), "here");
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        try (ProgramRun server = serving(export)) {
            String location = addressOf(server) + "/kept";
            String reason = " is not a regular file, and only regular files have contents.";
            assertFails(pipe + reason, "cp", pipe.toString(), location);
            assertFails("/dev/zero" + reason, "cp", "/dev/zero", location);
            assertFails("/proc/version says that it is empty", "cp", "/proc/version", location);
        }
        assertThat(served).hasContent("there");
        Path kernel = Path.of("/proc/sys/kernel");
        assumeTrue(Files.isReadable(kernel.resolve("ostype")), "there is no such file");
        try (ProgramRun server = serving(kernel)) {
            String location = addressOf(server) + "/ostype";
            String reason = location + " says that it is empty and has contents";
            assertFails(reason, "cp", location, kept.toString());
        }
        assertThat(kept).hasContent("here");
    }

    @Test
    void aFileThatBecomesShorterIsNotCopiedWithSuccess() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        Path copy = folder.resolve("copy");
        try (ProgramRun server = serving(export);
                FileChannel file =
                        FileChannel.open(
                                export.resolve("file"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), 5L * (4 << 20)); // a part more than are under way
            String location = addressOf(server) + "/file";
            StringWriter err = new StringWriter();
            Writer cuts =
                    new FilterWriter(err) {
                        @Override
                        public void flush() throws IOException {
                            file.truncate(1); // the first part has come
                            super.flush();
                        }
                    };
            int status =
                    Program.of(new ZoidfsMain())
                            .setErr(new PrintWriter(cuts, true)) // flushes as that of a program
                            .execute("cp", "--progress", location, copy.toString());
            assertThat(err.toString()).contains(location + " became shorter while it was copied.");
            assertThat(status).isEqualTo(1);
        }
    }

    /** What cannot be copied is said before a file that is there is emptied. */
    private void assertNothingIsLost(Path export, String address) throws Exception {
        Files.createDirectory(export.resolve("directory"));
        Files.writeString(export.resolve("kept"), "there");
        Path kept = Files.writeString(folder.resolve("kept"), "here");
        assertFails(address + "/directory is a directory", "cat", address + "/directory");
        assertFails(
                address + "/directory is a directory",
                "cp",
                address + "/directory",
                kept.toString());
        assertFails(folder + " is a directory", "cp", folder.toString(), address + "/kept");
        assertFails("There is no file", "cp", folder + "/none", address + "/kept");
        assertFails("/none: no such file", "cp", address + "/none", kept.toString());
        assertFails("/directory: is a directory", "cp", kept.toString(), address + "/directory");
        String behind = address + "/kept/ ends with a slash, as only directories do";
        assertFails(behind, "cp", kept.toString(), address + "/kept/");
        Files.createSymbolicLink(export.resolve("link"), Path.of("nowhere"));
        String notRegular = address + "/link is not a regular file, and only regular files have";
        assertFails(notRegular, "cp", kept.toString(), address + "/link");
        assertFails(folder + " is a directory", "cp", address + "/kept", folder.toString());
        assertFails(
                folder.resolve("none") + " is not a directory",
                "cp",
                address + "/kept",
                folder.resolve("none/copy").toString());
        assertFails("/dev/full: No space left", "cp", address + "/kept", "/dev/full");
        assertThat(kept).hasContent("here");
        assertThat(export.resolve("kept")).hasContent("there");
        assertThat(run("ls", address + "/kept").out()).isEqualTo(String.format("/kept%n"));
        assertThat(run("ls", "-l", address + "/kept").out()).startsWith("-0").contains(" 5 ");
    }

    @Test
    void whatAServerRefusesIsSaidWithTheNameOfTheFileAndWhatToDo() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        Path closed = Files.writeString(export.resolve("closed"), "nobody may read it");
        Files.setPosixFilePermissions(closed, Set.of());
        // Root may read everything, so the server takes the rights of another user.
        String[] as = Files.isReadable(closed) ? new String[] {"--as", "nobody"} : new String[0];
        try (ProgramRun server = serving(export, as)) {
            String address = addressOf(server);
            String refused = address + "/closed: permission denied. The user of the server may not";
            assertFails(refused, "cat", address + "/closed");
            assertFails(refused, "cp", address + "/closed", folder.resolve("copy").toString());
            assertFails(
                    address
                            + "/d/none: no such file or directory. See what is there with 'zoidfs"
                            + " ls "
                            + address
                            + "/d/'.",
                    "stat",
                    address + "/d/none");
            assertFails(
                    address + "/closed/x: not a directory. Only a directory can have",
                    "cp",
                    Files.createFile(folder.resolve("local")).toString(),
                    address + "/closed/x");
            String longName = address + "/" + "n".repeat(256);
            assertFails(longName + ": name too long. A name has 255 bytes", "ls", longName);
            String longPath = address + "/n".repeat(2_500);
            assertFails(longPath + ": malformed message. A name has", "ls", longPath);
            assertFails("does it speak the dialect sfp? If not, leave", "ls", "--sfp", address);
        }
        String nobody = "tcp://127.0.0.1:1/f";
        assertFails(nobody + ": The server did not answer: ", "ls", nobody);
        assertThat(run("ls", nobody).err()).contains(". Start one there with 'zoidfs serve', or");
    }

    /** A client of an instance that is no server of files waits for nothing. */
    @Test
    void aServerThatDoesNotAnswerIsAskedFor() {
        try (Bmi other =
                Bmi.builder().knob("tcp.bindSpecific", "true").listen("tcp://127.0.0.1:0").open()) {
            String at = "tcp://127.0.0.1:" + other.getOption(TcpOptions.PORT);
            assertFails(
                    "The server does not answer; is it 'zoidfs serve'? See what it does with"
                            + " 'zoidfs stat "
                            + at
                            + "'",
                    "ls",
                    "--timeout",
                    "1",
                    at);
        }
    }

    @Test
    void whatCannotBeShownWholeIsAFailure() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        Files.write(export.resolve("f"), new byte[1 << 20]);
        assumeTrue(Files.exists(Path.of("/dev/full")), "there is no file that takes nothing");
        try (ProgramRun server = serving(export)) {
            String address = addressOf(server);
            Process cat =
                    new ProcessBuilder(
                                    ChildJvm.command(
                                            ZoidfsMain.class, List.of(), "cat", address + "/f"))
                            .redirectOutput(new File("/dev/full"))
                            .start();
            try (var err = cat.errorReader()) {
                assertThat(err.readLine())
                        .endsWith(
                                ": Standard output takes no more, so "
                                        + address
                                        + "/f is not shown whole.");
                assertThat(cat.waitFor()).isEqualTo(1);
            } finally {
                cat.destroyForcibly();
            }
        }
    }

    /** As behind {@code head}. */
    @Test
    void aReaderThatHasSeenEnoughIsNoFailure() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        Files.write(export.resolve("f"), new byte[9 << 20]);
        try (ProgramRun server = serving(export)) {
            String file = addressOf(server) + "/f";
            Process cat =
                    new ProcessBuilder(ChildJvm.command(ZoidfsMain.class, List.of(), "cat", file))
                            .start();
            try (var err = cat.getErrorStream()) {
                try (var out = cat.getInputStream()) {
                    assertThat(out.readNBytes(5)).hasSize(5);
                }
                assertThat(err.readAllBytes()).asString().isEmpty();
                assertThat(cat.waitFor()).isZero();
            } finally {
                cat.destroyForcibly();
            }
        }
    }

    private static void assertFails(String sentence, String... args) {
        CommandRun run = run(args);
        assertThat(run.err()).contains(sentence).hasLineCount(1);
        assertThat(run.status()).isEqualTo(1);
    }

    /** One sentence and the usage; nothing was done. */
    private static void assertIsWrong(String sentence, String... args) {
        CommandRun run = run(args);
        assertThat(run.err().lines().findFirst().orElse("")).contains(sentence).endsWith(".");
        assertThat(run.err()).contains("Usage: zoidfs").doesNotContain("unexpected happened");
        assertThat(run.out()).isEmpty();
        assertThat(run.status()).isEqualTo(2);
    }

    @Test
    void whatIsTypedWronglyIsSaidInASentence() {
        assertIsWrong("A command is needed");
        assertIsWrong("There is no command 'sevre'.", "sevre");
        for (String command : List.of("ls", "cat", "stat")) {
            assertIsWrong("Missing required parameter: 'LOCATION'", command);
            assertIsWrong("\"/local\" is not a location", command, "/local");
            for (String wrong : List.of("\ufffd", "half \ud83d", "\ude00")) {
                assertIsWrong("set LC_ALL to a language with UTF-8", command, "tcp://h:1/" + wrong);
            }
            assertIsWrong("There is no method \"pigeon\"", command, "pigeon://x/f");
            assertIsWrong("--timeout goes from 1", command, "--timeout", "0", "tcp://h:1/f");
            assertIsWrong("--timeout goes", command, "--timeout", "9999999999999", "tcp://h:1/f");
            assertIsWrong("--timeout", command, "--timeout", "soon", "tcp://127.0.0.1:1/f");
            assertIsWrong("tcp://127.0.0.1:99999", command, "tcp://127.0.0.1:99999/f");
            assertIsWrong("tcp://127.0.0.1:x", command, "tcp://127.0.0.1:x/f");
            assertIsWrong("'more' is one word too many.", command, "tcp://127.0.0.1:1/f", "more");
        }
        assertIsWrong("One of FROM and TO", "cp", "a", "b");
        assertIsWrong("TO has no path: give the name of the file", "cp", "a", "tcp://h:1");
        assertIsWrong("One of FROM and TO", "cp", "tcp://h:1/a", "tcp://h:1/b");
        assertIsWrong("Missing required parameter: 'TO'", "cp", "a");
        assertIsWrong("There is no method \"pigeon\"", "cp", "a", "pigeon://x/b");
        assertIsWrong("Missing required parameter", "mount", "tcp://127.0.0.1:1");
        assertIsWrong("has no path behind it", "mount", "tcp://127.0.0.1:1/a", ".");
        assertIsWrong("is not a location", "mount", "here", "there");
        assertIsWrong("Missing required", "serve", "tcp://127.0.0.1:0");
        assertIsWrong("Missing required parameter: 'ADDRESS'", "serve", "--export", ".");
        String address = "tcp://127.0.0.1:0";
        assertIsWrong("'--export'", "serve", "--export", "", address);
        assertIsWrong("'--state'", "serve", "--export", ".", "--state", "", address);
        assertIsWrong("There is no method", "serve", "--export", ".", "pigeon://x");
        assertIsWrong("no scheme", "serve", "--export", ".", "here");
        assertIsWrong("99999", "serve", "--export", ".", "tcp://127.0.0.1:99999");
        assertIsWrong("--metrics takes a port", "serve", "--export", ".", "--metrics=-1", address);
        assertIsWrong(
                "--metrics takes a port", "serve", "--export", ".", "--metrics=70000", address);
        assertIsWrong("'--metrics'", "serve", "--export", ".", "--metrics", "x", address);
        assertIsWrong("--knob takes NAME=VALUE", "serve", "--export", ".", "--knob=x", address);
        assertIsWrong("no.such", "serve", "--export", ".", "--knob=no.such=1", address);
        assertIsWrong("tcp.poolBytes", "serve", "--export", ".", "--knob=tcp.poolBytes=x", address);
        assertIsWrong("There is no user", "serve", "--export", ".", "--as", "no-such-one", address);
    }

    @Test
    void aServerThatCannotShowItsFiguresEndsWithAFailure() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ProgramRun server =
                        serving(export, "--metrics", Integer.toString(taken.getLocalPort()))) {
            assertThat(server.awaitEnd()).isEqualTo(1);
            assertThat(server.transcript()).contains("--metrics").doesNotContain("ready tcp");
        }
    }

    private static String page(String address) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    @Test
    void whatCannotBeServedIsSaidInASentence() {
        CommandRun noFolder =
                run("serve", "--export", folder.resolve("none").toString(), "tcp://127.0.0.1:0");
        assertThat(noFolder.status()).isEqualTo(1);
        assertThat(noFolder.err()).contains("cannot be exported");
        CommandRun noDialect =
                run("serve", "--export", ".", "--dialect", "other", "tcp://127.0.0.1:0");
        assertThat(noDialect.status()).isEqualTo(2);
        assertThat(noDialect.err()).contains("--dialect is main or sfp, not other");
        CommandRun twoPorts =
                run("serve", "--export", ".", "tcp://127.0.0.1:0", "tcp://127.0.0.2:0", "zoid://");
        assertThat(twoPorts.status()).isEqualTo(2);
        assertThat(twoPorts.err()).contains("Port 0 is for a single tcp address");
        CommandRun noLibrary =
                run(
                        "mount",
                        "--libfuse",
                        folder.resolve("none").toString(),
                        "tcp://127.0.0.1:1",
                        folder.toString());
        assertThat(noLibrary.status()).isEqualTo(1);
        assertThat(noLibrary.err()).containsAnyOf("/dev/fuse cannot be opened", "is no file");
        assertThat(run("mount", "tcp://127.0.0.1:1/a", ".").status()).isEqualTo(2);
        assertThat(run("cp", "a", "b").status()).isEqualTo(2);
        assertThat(run("cp", "", "tcp://127.0.0.1:1/a").err()).contains("A path is not empty");
        assertThat(run("cp", "tcp://127.0.0.1:1/a", "").status()).isEqualTo(2);
        assertThat(run("ls", "/local").err()).contains("is not a location");
    }
}
