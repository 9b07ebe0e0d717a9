package org.jbmi.tools.zbmi;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.text.JsonWriter;
import org.jbmi.tools.text.TextTable;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.ErrorsFile;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;

/** The command {@code zbmi errors}. */
@Command(
        name = "errors",
        versionProvider = ToolVersion.class,
        description = {
            "Shows each distinct error of a daemon, or of a server that"
                    + " runs the engine, once: first time, last time, count, text.",
            "",
            "Reads their files, so it also works after they were killed,"
                    + " until the next one starts.",
            ""
        })
public final class ErrorsCommand extends DaemonCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws ToolException {
        RuntimeDirectory directory = directory();
        if (!directory.check() || !isKept(directory)) {
            throw new ToolException(
                    "No zoid daemon or server keeps errors in "
                            + directory.path()
                            + ": none runs there, and none was killed there.");
        }
        List<ErrorLog.Entry> entries = ErrorsFile.readAll(directory);
        PrintWriter out = spec().commandLine().getOut();
        if (json) {
            out.println(json(entries));
        } else {
            table(entries).lines().forEach(out::println);
        }
        return 0;
    }

    private static boolean isKept(RuntimeDirectory directory) {
        return Files.exists(directory.errors(), LinkOption.NOFOLLOW_LINKS)
                || Files.exists(directory.serverErrors(), LinkOption.NOFOLLOW_LINKS);
    }

    private static TextTable table(List<ErrorLog.Entry> entries) {
        TextTable table = new TextTable("llrl", "first seen", "last seen", "count", "error");
        for (ErrorLog.Entry e : entries) {
            table.row(time(e.firstMs()), time(e.lastMs()), Long.toString(e.count()), e.text());
        }
        return table;
    }

    private static String json(List<ErrorLog.Entry> entries) {
        JsonWriter writer = new JsonWriter();
        writer.beginObject().name("errors").beginArray();
        for (ErrorLog.Entry e : entries) {
            writer.beginObject();
            writer.name("firstSeen").value(time(e.firstMs()));
            writer.name("lastSeen").value(time(e.lastMs()));
            writer.name("count").value(e.count()).name("text").value(e.text());
            writer.end();
        }
        return writer.end().end().toString();
    }

    private static String time(long milliseconds) {
        return Instant.ofEpochMilli(milliseconds).toString();
    }
}
