package org.jbmi.tools.zbmi;

import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.text.JsonWriter;
import org.jbmi.zbmi.attach.FileFailure;
import org.jbmi.zbmi.host.journal.JournalKind;
import org.jbmi.zbmi.host.journal.JournalReader;
import org.jbmi.zbmi.host.journal.JournalRecord;
import org.jbmi.zbmi.host.journal.JournalTrace;
import org.jbmi.zbmi.host.journal.Journals;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** The command {@code zbmi journal}. */
@Command(
        name = "journal",
        versionProvider = ToolVersion.class,
        description = {
            "Shows a journal: the events that entered the engine and," + " indented, its actions.",
            "",
            "The host of the engine, a daemon or a server, keeps a journal"
                    + " if the knob zbmi.journal names a new folder.",
            ""
        })
public final class JournalCommand extends ToolCommand implements Callable<Integer> {
    private static final long POLL_MS = 100;

    @Parameters(paramLabel = "FOLDER", description = "The folder of the journal.")
    private Path folder = Path.of("");

    @Option(names = "--follow", description = "Continue with new records, until the journal ends.")
    private boolean follow;

    @Option(names = "--json", description = "Print one JSON object for each record.")
    private boolean json;

    @Override
    public Integer call() throws ToolException, InterruptedException {
        PrintWriter out = spec().commandLine().getOut();
        try (JournalReader reader = Journals.require().open(folder)) {
            show(reader, out);
        } catch (IOException e) {
            throw new ToolException("Cannot read the journal: " + FileFailure.reason(e) + ".");
        }
        return 0;
    }

    private void show(JournalReader reader, PrintWriter out) throws InterruptedException {
        JournalTrace trace = new JournalTrace();
        JournalRecord record = new JournalRecord();
        boolean isLeft = false; // its host wrote its last record before, so it is read once more
        while (!out.checkError()) {
            int read = reader.read(record);
            if (read == JournalReader.RECORD) {
                print(trace.entry(record), out);
                if (record.kind() == JournalKind.END.code()) {
                    return;
                }
            } else if (read == JournalReader.NOTHING && follow && !isLeft) {
                isLeft = !reader.isBeingWritten();
                if (!isLeft) {
                    TimeUnit.MILLISECONDS.sleep(POLL_MS);
                }
            } else {
                tellEnd(read);
                return;
            }
        }
    }

    private void tellEnd(int read) {
        PrintWriter err = spec().commandLine().getErr();
        err.println(
                read == JournalReader.CUT_OFF
                        ? "zbmi journal: the journal is cut off inside a record; this was its last"
                                + " whole one."
                        : "zbmi journal: the journal has no end: its host was killed, is still"
                                + " running, or the journal was full.");
    }

    private void print(JournalTrace.Entry entry, PrintWriter out) {
        if (!json) {
            out.println(entry.line());
            return;
        }
        JsonWriter writer = new JsonWriter();
        writer.beginObject();
        writer.name("time").value(entry.time());
        writer.name("event").value(entry.isEvent());
        writer.name("who").value(entry.who());
        writer.name("what").value(entry.what());
        writer.name("arguments").beginObject();
        entry.arguments().forEach((name, value) -> writer.name(name).value(value));
        writer.end();
        if (entry.tookNs() >= 0) {
            writer.name("tookNs").value(entry.tookNs());
        }
        writer.end();
        out.println(writer);
    }
}
