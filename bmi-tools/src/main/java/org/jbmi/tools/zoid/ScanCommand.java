package org.jbmi.tools.zoid;

import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoid.processor.scan.Problem;
import org.jbmi.zoid.processor.scan.Scanner;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import javax.lang.model.SourceVersion;

/** The command {@code zoid scan}. */
@Command(
        name = "scan",
        versionProvider = ToolVersion.class,
        description = {
            "Turns a C header with ZOID's hints into an annotated Java interface.",
            "",
            "The command reports what it cannot read as HEADER:LINE: on standard error; then",
            "the exit status is 1, and it writes nothing.",
            ""
        })
public final class ScanCommand extends ToolCommand implements Callable<Integer> {
    private static final long MAXIMUM_BYTES = 16 << 20;

    @Parameters(paramLabel = "HEADER", description = "The C header.")
    private Path header;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the interface to this file; default: standard output.")
    private @Nullable Path output;

    @Option(
            names = "--package",
            paramLabel = "NAME",
            defaultValue = "",
            description = "The package of the interface; default: none.")
    private String packageName;

    @Override
    public Integer call() throws ToolException {
        if (!packageName.isEmpty() && !SourceVersion.isName(packageName)) {
            throw wrongUse("'" + packageName + "' is not the name of a package");
        }
        Scanner.Result result =
                Scanner.scan(
                        read(), new Scanner.Options(header.getFileName().toString(), packageName));
        String source = result.source();
        if (source == null) {
            PrintWriter err = spec().commandLine().getErr();
            for (Problem problem : result.problems()) {
                err.println(header + ":" + problem.line() + ": " + problem.sentence());
            }
            return 1;
        }
        write(source);
        return 0;
    }

    private String read() throws ToolException {
        try {
            if (Files.size(header) > MAXIMUM_BYTES) {
                throw new ToolException(header + " is larger than 16 MiB; that is not a header.");
            }
            // Each byte is a character: the scanner reads ASCII, and comments may have any
            // encoding.
            return Files.readString(header, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new ToolException("There is no file " + header + ".", e);
        } catch (IOException e) {
            throw new ToolException(
                    "The header " + header + " cannot be read. " + Sentences.of(e), e);
        }
    }

    private void write(String source) throws ToolException {
        if (output == null) {
            PrintWriter out = spec().commandLine().getOut();
            out.print(source);
            out.flush();
            return;
        }
        try {
            Files.writeString(output, source);
        } catch (IOException e) {
            throw new ToolException(
                    "The file " + output + " cannot be written. " + Sentences.of(e), e);
        }
    }
}
