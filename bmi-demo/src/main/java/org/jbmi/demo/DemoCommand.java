package org.jbmi.demo;

import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.text.Quantities;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** The command {@code bmi demo}. */
@Command(
        name = "demo",
        versionProvider = ToolVersion.class,
        description = {
            "Ships a file from several clients to a forwarding server and back, and checks it.",
            "",
            "Starts a server, the clients and, with --through daemon or socket, a daemon, each in a"
                + " process of its own (with --through loopback: each in a thread), shows how fast"
                + " they are, and leaves nothing behind. Exit status 0 only if every client got"
                + " back what it wrote.",
            ""
        })
public final class DemoCommand extends ToolCommand implements Callable<Integer> {
    /** The most clients. */
    static final int MAX_CLIENTS = 64;

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "The file to ship; default: lib/modules of the JDK that runs this.")
    private @Nullable Path file;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many clients, 1 to " + MAX_CLIENTS + "; default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--through",
            paramLabel = "embedded|daemon|socket|tcp|loopback",
            defaultValue = "daemon",
            converter = ThroughConverter.class,
            description = "What carries the messages; default: ${DEFAULT-VALUE}.")
    private Through through;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            converter = BytesConverter.class,
            description =
                    "Ship only this many bytes of the file, for example 1000, 64k" + " or 16m.")
    private @Nullable Long bytes;

    @Option(
            names = "--channel",
            paramLabel = "NAME",
            description =
                    "How the server's commands travel to the daemon: ring, posix-mq, chronicle, or"
                            + " one that is plugged in; default: the knob zoid.commandChannel.")
    private @Nullable String channel;

    @Option(
            names = "--journal",
            paramLabel = "FOLDER",
            description = "Keep a journal of the engine in this new folder, see 'zbmi journal'.")
    private @Nullable Path journal;

    @Option(
            names = "--json",
            description =
                    "Print one JSON object on standard output and everything else on standard"
                            + " error.")
    private boolean json;

    /** Reads the word for a {@link Through}. */
    static final class ThroughConverter implements ITypeConverter<Through> {
        @Override
        public Through convert(String word) {
            for (Through through : Through.values()) {
                if (through.toString().equals(word)) {
                    return through;
                }
            }
            throw new TypeConversionException(
                    "it is embedded, daemon, socket, tcp or loopback, not '" + word + "'");
        }
    }

    /** Reads a number of bytes. */
    static final class BytesConverter implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            try {
                return Quantities.parseBytes(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    @Override
    public Integer call() throws ToolException, IOException, InterruptedException {
        if (clients < 1 || clients > MAX_CLIENTS) {
            throw wrongUse("There can be 1 to " + MAX_CLIENTS + " clients, not " + clients);
        }
        if (channel != null && !through.hasDaemon()) {
            throw wrongUse("A command channel is there only with --through daemon or socket");
        }
        if (channel != null) {
            Misuse.checkChannel(this::wrongUse, channel);
        }
        if (journal != null && !through.hasEngine()) {
            throw wrongUse("A journal is there only with --through embedded, daemon or socket");
        }
        return new DemoSession(plan(), json, System.out, System.err).run();
    }

    private DemoPlan plan() throws ToolException, IOException {
        Path path =
                file == null ? Path.of(System.getProperty("java.home"), "lib", "modules") : file;
        checkFile(path);
        long size = Files.size(path);
        long wanted = bytes == null ? size : Math.min(size, bytes);
        return new DemoPlan(path.toAbsolutePath(), wanted, clients, through, channel, journal);
    }

    private static void checkFile(Path path) throws ToolException {
        if (!Files.exists(path)) {
            throw new ToolException("There is no file " + path + ".");
        }
        if (Files.isDirectory(path)) {
            throw new ToolException(path + " is a directory; the demo ships one file.");
        }
        if (!Files.isRegularFile(path)) {
            throw new ToolException(path + " is not a regular file.");
        }
        if (!Files.isReadable(path)) {
            throw new ToolException("The file " + path + " may not be read by this user.");
        }
    }
}
