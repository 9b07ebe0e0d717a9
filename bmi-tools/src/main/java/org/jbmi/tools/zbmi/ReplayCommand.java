package org.jbmi.tools.zbmi;

import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zbmi.attach.FileFailure;
import org.jbmi.zbmi.host.journal.JournalReader;
import org.jbmi.zbmi.host.journal.JournalRecord;
import org.jbmi.zbmi.host.journal.JournalReplay;
import org.jbmi.zbmi.host.journal.JournalTrace;
import org.jbmi.zbmi.host.journal.Journals;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** The command {@code zbmi replay}. */
@Command(
        name = "replay",
        versionProvider = ToolVersion.class,
        description = {
            "Feeds a journal to a new engine and compares its actions with" + " the record.",
            "",
            "Exit status 0 if nothing differs; otherwise the first difference is shown with the"
                    + " events before it, and the status is 1.",
            ""
        })
public final class ReplayCommand extends ToolCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FOLDER", description = "The folder of the journal.")
    private Path folder = Path.of("");

    @Override
    public Integer call() throws ToolException {
        PrintWriter out = spec().commandLine().getOut();
        JournalReplay.Result result;
        try (JournalReader reader = Journals.require().open(folder)) {
            result = JournalReplay.run(reader);
        } catch (IOException e) {
            throw new ToolException("Cannot read the journal: " + FileFailure.reason(e) + ".");
        }
        if (result.header() == null) {
            throw new ToolException(
                    "The journal does not begin with a header that this version knows: replay it"
                            + " with the version that wrote it.");
        }
        JournalReplay.Difference difference = result.difference();
        if (difference != null) {
            show(difference, out);
            throw new ToolException(
                    "The engine did something else than the journal says, at event "
                            + result.events()
                            + ".");
        }
        out.printf(
                "%d events replayed, %d actions compared: no difference.%s%n",
                result.events(), result.actions(), ending(result.end()));
        return 0;
    }

    private static String ending(JournalReplay.End end) {
        return switch (end) {
            case WHOLE -> "";
            case OPEN -> " The journal has no end; its last event was left out.";
            case CUT_OFF ->
                    " The journal is cut off inside a record; it was read to its last whole one.";
        };
    }

    private static void show(JournalReplay.Difference difference, PrintWriter out) {
        JournalTrace trace = new JournalTrace();
        for (JournalRecord event : difference.before()) {
            out.println(trace.entry(event).line());
        }
        out.println("recorded:" + line(trace, difference.recorded()));
        out.println("replayed:" + line(trace, difference.replayed()));
    }

    private static String line(JournalTrace trace, @Nullable JournalRecord record) {
        return record == null ? "    nothing more" : "    " + trace.entry(record).line();
    }
}
