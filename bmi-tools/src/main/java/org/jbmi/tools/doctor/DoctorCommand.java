package org.jbmi.tools.doctor;

import org.jbmi.BmiException;
import org.jbmi.config.Configuration;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.text.JsonWriter;
import org.jbmi.tools.zbmi.DaemonCommand;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.host.place.HostInUse;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** The command {@code bmi doctor}. */
@Command(
        name = "doctor",
        versionProvider = ToolVersion.class,
        description = {
            "Checks the machine and a runtime directory, and says what is"
                    + " wrong and what to do about it.",
            "",
            "It changes nothing. The exit status is 0 if nothing is wrong," + " 1 otherwise.",
            ""
        })
public final class DoctorCommand extends DaemonCommand implements Callable<Integer> {
    @Option(
            names = "--knob",
            paramLabel = "NAME=VALUE",
            description = "A knob of the daemon, see 'bmi info'. May be given several" + " times.")
    private List<String> settings = new ArrayList<>();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        Diagnosis found = new Diagnosis();
        Map<String, String> wanted = knobs();
        try {
            Configuration knobs = Configuration.resolve(DaemonKnobs.all(), wanted);
            RuntimeDirectory directory =
                    new RuntimeDirectory(Path.of(knobs.get(RuntimeDirectory.KNOB)));
            HostInUse host = new DirectoryChecks(directory, knobs, found).run();
            new MachineChecks(knobs, host, found).run();
        } catch (BmiException e) {
            found.wrong("knobs", Misuse.sentence(e), "Correct it where it is set.");
        }
        PrintWriter out = spec().commandLine().getOut();
        if (json) {
            out.println(json(found));
        } else {
            print(found, out);
        }
        return found.wrong() == 0 ? 0 : 1;
    }

    private Map<String, String> knobs() {
        Map<String, String> knobs = Assignments.parse("--knob", settings, this::wrongUse);
        knobs.putAll(runtimeKnob());
        return knobs;
    }

    private static void print(Diagnosis found, PrintWriter out) {
        for (Diagnosis.Finding finding : found.findings()) {
            String mark =
                    switch (finding.state()) {
                        case GOOD -> "ok   ";
                        case NOTE -> "note ";
                        case WRONG -> "WRONG";
                    };
            out.printf("%s %s: %s%n", mark, finding.subject(), finding.sentence());
            if (!finding.advice().isEmpty()) {
                out.printf("      %s%n", finding.advice());
            }
        }
        long wrong = found.wrong();
        out.println(
                wrong == 0
                        ? "Nothing is wrong."
                        : wrong == 1 ? "1 thing is wrong." : wrong + " things are wrong.");
    }

    private static String json(Diagnosis found) {
        JsonWriter writer = new JsonWriter();
        writer.beginObject().name("wrong").value(found.wrong()).name("findings").beginArray();
        for (Diagnosis.Finding finding : found.findings()) {
            writer.beginObject();
            writer.name("state").value(finding.state().name().toLowerCase(Locale.ROOT));
            writer.name("subject").value(finding.subject());
            writer.name("sentence").value(finding.sentence());
            writer.name("advice").value(finding.advice()).end();
        }
        return writer.end().end().toString();
    }
}
