package org.jbmi.rig.golden;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tcp.TcpResolver;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.testsuite.golden.GoldenReplay;
import org.jbmi.testsuite.golden.Recording;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.tcp.DialectConverter;
import org.jbmi.tools.text.JsonWriter;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** The command {@code bmi golden}. */
@Command(
        name = "golden",
        versionProvider = ToolVersion.class,
        description = {
            "Replays recordings of what C programs sent each other over tcp.",
            "",
            "Each recording is replayed with the library on either side, byte for byte. The last"
                    + " line is a JSON object. Exit status 0 only if all passed.",
            ""
        })
public final class GoldenCommand extends ToolCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FOLDER", description = "Where the recordings are, as *.json.")
    private Path folder;

    @Option(names = "--json", description = "Print nothing but the JSON object.")
    private boolean json;

    @Option(
            names = "--dialect",
            paramLabel = "standalone|orangefs",
            converter = DialectConverter.class,
            description = "Replay the recordings of this dialect only; default: all.")
    private @Nullable Dialect dialect;

    @Override
    public Integer call() throws IOException, ToolException {
        PrintWriter out = spec().commandLine().getOut();
        GoldenReplay replay = new GoldenReplay(GoldenCommand::builder);
        List<String> failed = new ArrayList<>();
        int files = 0;
        for (Path file : files()) {
            String name = String.valueOf(file.getFileName());
            String problem = replayed(replay, file);
            if (problem != null && problem.isEmpty()) {
                continue;
            }
            files++;
            if (problem != null) {
                failed.add(name);
            }
            if (!json) {
                out.println((problem == null ? "passed  " : "FAILED  ") + name);
                if (problem != null) {
                    out.println("        " + problem);
                }
            }
        }
        if (files == 0) {
            String sentence = "bmi golden: There is no recording in " + folder + ".";
            spec().commandLine().getErr().println(sentence);
        }
        out.println(json(files, failed));
        return failed.isEmpty() && files > 0 ? 0 : 1;
    }

    /**
     * The first difference from the recording; null without one, empty if the recording is not
     * selected.
     */
    private @Nullable String replayed(GoldenReplay replay, Path file) throws IOException {
        Recording recording;
        try {
            recording = Recording.parse(Files.readString(file));
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
        if (dialect != null && recording.standalone() != dialect.hasClasses()) {
            return "";
        }
        return replay.replay(recording);
    }

    private List<Path> files() throws IOException, ToolException {
        if (!Files.isDirectory(folder)) {
            throw new ToolException("There is no folder " + folder + ".");
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        }
    }

    private static String json(int files, List<String> failed) {
        JsonWriter writer =
                new JsonWriter()
                        .beginObject()
                        .name("files")
                        .value(files)
                        .name("passed")
                        .value(files - failed.size())
                        .name("failed")
                        .beginArray();
        failed.forEach(writer::value);
        return writer.end().end().toString();
    }

    private static BmiBuilder builder(
            boolean standalone, String identity, Map<Integer, Integer> redirects) {
        TcpResolver resolver =
                (host, port) ->
                        List.of(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(),
                                        redirects.getOrDefault(port, port)));
        Dialect spoken = standalone ? Dialect.STANDALONE : Dialect.ORANGEFS;
        return Bmi.builder()
                .knob("tcp.dialect", spoken.label())
                .knob("tcp.identity", identity)
                .attach(TcpResolver.class, resolver);
    }
}
