import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.StandardProtocolFamily;
import java.net.URLConnection;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Compiles as {@code javac} does, in a server that serves one run of Maven. A new JVM compiles
 * slowly at first, and the build would start sixty.
 *
 * <p>The first call of a run starts the server, which ends with the Java process that the caller
 * descends from, Maven's. If there can be no server, the JDK's own javac compiles.
 *
 * <p>The server does not know the current folder of its callers: Maven names all files by absolute
 * paths.
 */
final class Javac {
    /** The options of the JVM that compiles; most of them are for Error Prone. */
    private static final List<String> OPTIONS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xms256m",
                    "-Xmn160m", // few collections
                    "-XX:+IgnoreUnrecognizedVMOptions",
                    "-XX:+UseTransparentHugePages",
                    "-Xlog:disable",
                    "-Duser.language=en", // Maven reads the words
                    "--add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.main=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.model=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.parser=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.processing=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.util=ALL-UNNAMED",
                    "--add-opens=jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED",
                    "--add-opens=jdk.compiler/com.sun.tools.javac.comp=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow");

    private static final Path JDK = Path.of(System.getProperty("java.home"), "bin");
    private static final String SERVE = "--serve";
    private static final String READY = "ready";
    private static final long POLL_NS = 200_000_000;

    /** A path of a socket may have some 108 bytes. */
    private static final int MOST_PATH = 100;

    /** Above this, the status of javac says that it has failed, and not what it compiled. */
    private static final int MOST_STATUS = 2;

    private Javac() {}

    /**
     * Compiles, and exits with the status of javac.
     *
     * @param args the folder for the server's socket, and the arguments of javac
     */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        List<String> arguments = List.of(args).subList(1, args.length);
        if (arguments.indexOf(SERVE) == 0) {
            serve(
                    folder.resolve(arguments.get(1)),
                    ProcessHandle.of(Long.parseLong(arguments.get(2))));
            return;
        }
        Optional<ProcessHandle> maven = maven();
        int status;
        if (maven.isEmpty()) {
            status = compileHere(arguments);
        } else {
            try {
                status = compileThere(folder, maven.get(), arguments);
            } catch (IOException e) {
                if (isAtWork(maven.get())) {
                    status = compileHere(arguments);
                } else { // whoever ended Maven does not expect that files are still written
                    System.err.println("error: build/javac: Maven has ended; " + e.getMessage());
                    status = 1;
                }
            }
        }
        System.exit(status);
    }

    // One that has ended, and that its parent has not yet seen, has no command. Another process
    // with its number is not alive to this handle, which knows when its own one started.
    private static boolean isAtWork(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    // The nearest Java process from which this one descends.
    private static Optional<ProcessHandle> maven() {
        return Stream.iterate(
                        ProcessHandle.current().parent(),
                        Optional::isPresent,
                        each -> each.flatMap(ProcessHandle::parent))
                .flatMap(Optional::stream)
                .filter(each -> each.info().command().orElse("").endsWith("/java"))
                .findFirst();
    }

    private static int compileHere(List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(JDK.resolve("javac").toString()));
        OPTIONS.forEach(each -> command.add("-J" + each));
        command.addAll(arguments);
        Process javac =
                new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
        String said = javac.errorReader().readAllAsString();
        return show(javac.waitFor(), said);
    }

    // Of a failure Maven shows the errors only, and with -Werror a warning is one.
    private static int show(int status, String said) {
        System.err.print(
                status == 0 ? said : said.replaceAll("(?m)(^|: )warning: ", "$1error: warning: "));
        System.err.flush();
        return status;
    }

    private static int compileThere(Path folder, ProcessHandle maven, List<String> arguments)
            throws IOException {
        int status;
        String said;
        try (SocketChannel server = connect(folder, maven)) {
            DataOutputStream out = new DataOutputStream(Channels.newOutputStream(server));
            out.writeInt(arguments.size());
            for (String each : arguments) {
                out.writeUTF(each);
            }
            out.flush();
            DataInputStream in = new DataInputStream(Channels.newInputStream(server));
            status = in.readInt();
            said = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (status > MOST_STATUS) {
            throw new IOException("The server has failed: " + said);
        }
        return show(status, said);
    }

    private static SocketChannel connect(Path folder, ProcessHandle maven) throws IOException {
        String name = "javac-%d-%08x.socket".formatted(maven.pid(), JDK.hashCode());
        Path socket = folder.resolve(name);
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MOST_PATH) {
            throw new IOException("The path is too long for a socket: " + socket);
        }
        // Of several callers one starts the server.
        try (FileChannel file =
                        FileChannel.open(
                                folder.resolve("javac.lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            try {
                return SocketChannel.open(UnixDomainSocketAddress.of(socket));
            } catch (IOException e) {
                Files.deleteIfExists(socket); // of a server that was killed
                start(folder, socket, maven);
                return SocketChannel.open(UnixDomainSocketAddress.of(socket));
            }
        }
    }

    private static void start(Path folder, Path socket, ProcessHandle maven) throws IOException {
        List<String> command = new ArrayList<>(List.of(JDK.resolve("java").toString()));
        command.addAll(OPTIONS);
        command.addAll(
                List.of("-cp", folder.toString(), Javac.class.getName(), folder.toString(), SERVE));
        command.addAll(List.of(socket.getFileName().toString(), Long.toString(maven.pid())));
        Process server =
                new ProcessBuilder(command)
                        .directory(new File(System.getProperty("java.io.tmpdir")))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        String line = "";
        while (line != null && !line.equals(READY)) { // a JVM may have something to say before
            line = server.inputReader().readLine();
        }
        if (line == null) {
            throw new IOException("The server ended before it was ready.");
        }
    }

    private static void serve(Path socket, Optional<ProcessHandle> maven) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            socket.toFile().deleteOnExit();
            Thread.ofPlatform().daemon().start(() -> exitWith(maven));
            System.out.println(READY);
            System.setOut(new PrintStream(OutputStream.nullOutputStream())); // nobody reads it
            ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
            // Otherwise the end of one compilation closes jars that another one reads.
            URLConnection.setDefaultUseCaches("jar", false);
            while (true) {
                SocketChannel caller = server.accept();
                Thread.ofPlatform().start(() -> answer(caller, javac));
            }
        } catch (IOException | RuntimeException | Error e) {
            Files.deleteIfExists(socket);
            Runtime.getRuntime().halt(1); // the callers find the end of what they read
        }
    }

    // By polling: the JDK is seconds late with the end of a process that is not a child.
    private static void exitWith(Optional<ProcessHandle> maven) {
        while (maven.filter(Javac::isAtWork).isPresent()) {
            LockSupport.parkNanos(POLL_NS);
        }
        System.exit(0);
    }

    // Whatever fails here: the caller gets no status, and compiles by itself.
    private static void answer(SocketChannel caller, ToolProvider javac) {
        try (caller) {
            DataInputStream in = new DataInputStream(Channels.newInputStream(caller));
            String[] arguments = new String[in.readInt()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = in.readUTF();
            }
            StringWriter said = new StringWriter();
            PrintWriter writer = new PrintWriter(said, true);
            int status = javac.run(writer, writer, arguments);
            DataOutputStream out = new DataOutputStream(Channels.newOutputStream(caller));
            out.writeInt(status);
            out.write(said.toString().getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            // The caller has ended.
        }
    }
}
