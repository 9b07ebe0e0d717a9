package org.jbmi.tools.shipper;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.CallUnderWay;
import org.jbmi.shipper.ServerCount;
import org.jbmi.shipper.Shipper;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.pending.PendingView;
import org.jbmi.tools.pending.ProcessOperations;
import org.jbmi.tools.text.JsonWriter;
import org.jbmi.tools.text.Quantities;
import org.jbmi.tools.text.TextTable;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** The command {@code bmi ops}. */
@Command(
        name = "ops",
        versionProvider = ToolVersion.class,
        description = {
            "Shows the pending operations of a process, or the calls under way at"
                    + " a server of the function shipper.",
            "",
            "A process (--pid) is asked through the flight recorder of the JDK,"
                    + " whatever its threads do. It must be of the same user.",
            "",
            "A server (ADDRESS) says what each call waits for, and with --counters"
                    + " its counters: calls, refusals, bytes. It answers even if no"
                    + " handler may run, unless shipper.introspection is off.",
            ""
        })
public final class CallsCommand extends ToolCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long NS_PER_MS = 1_000_000;

    @Parameters(
            paramLabel = "ADDRESS",
            arity = "0..1",
            description = "The address of the server, for example tcp://host:port.")
    private @Nullable String address;

    @Option(
            names = "--pid",
            paramLabel = "PID",
            description = "Show the pending operations of this process instead.")
    private @Nullable Long pid;

    @Option(
            names = "--most",
            paramLabel = "N",
            defaultValue = "100",
            description =
                    "The most operations or calls to show, the oldest first; default:"
                            + " ${DEFAULT-VALUE}.")
    private int most;

    @Option(
            names = "--knob",
            paramLabel = "NAME=VALUE",
            description = "Set a knob of the instance or of the shipper; may be repeated.")
    private List<String> settings = new ArrayList<>();

    @Option(names = "--counters", description = "Show the server's counters instead.")
    private boolean counters;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws ToolException {
        if (most < 1) {
            throw wrongUse("--most is 1 or more, not " + most);
        }
        PrintWriter out = spec().commandLine().getOut();
        String server = address;
        Long process = pid;
        if (process != null && server != null) {
            throw wrongUse("Give ADDRESS or --pid, not both");
        } else if (process != null) {
            showOperations(out, process);
        } else if (server != null) {
            showCalls(out, server);
        } else {
            throw wrongUse("Either ADDRESS or --pid is needed");
        }
        return 0;
    }

    private void showOperations(PrintWriter out, long process) throws ToolException {
        if (counters || !settings.isEmpty()) {
            throw wrongUse("--counters and --knob are for an ADDRESS");
        }
        ProcessOperations.Answer answer = new ProcessOperations(process).ask();
        if (json) {
            PendingView.printJson(out, answer, most);
        } else {
            PendingView.print(out, answer, most);
        }
    }

    private void showCalls(PrintWriter out, String at) {
        if (counters) {
            List<ServerCount> counts = ask(at, Shipper::counts);
            print(out, counts, CallsCommand::countsTable, CallsCommand::countsJson);
        } else {
            List<CallUnderWay> calls =
                    ask(at, (client, server, wait) -> client.underWay(server, most, wait));
            print(out, calls, CallsCommand::table, CallsCommand::json);
            if (!json) {
                out.println(Quantities.count(calls.size(), "call"));
            }
        }
    }

    private <T> void print(
            PrintWriter out,
            List<T> what,
            Function<List<T>, TextTable> table,
            Function<List<T>, String> inJson) {
        if (json) {
            out.println(inJson.apply(what));
        } else {
            table.apply(what).lines().forEach(out::println);
        }
    }

    /** A question to a server. */
    private interface Question<T> {
        List<T> ask(Shipper client, PeerAddress server, Duration wait);
    }

    private <T> List<T> ask(String at, Question<T> question) {
        var instance = Bmi.builder();
        Map<String, String> knobs = Assignments.parse("--knob", settings, this::wrongUse);
        knobs.forEach(
                (name, value) -> {
                    if (!name.startsWith("shipper.")) {
                        instance.knob(name, value);
                    }
                });
        try (Bmi bmi = Misuse.check(this::wrongUse, instance::open)) {
            var shipper = Shipper.builder(bmi).withoutThreads();
            knobs.forEach(
                    (name, value) -> {
                        if (name.startsWith("shipper.")) {
                            shipper.knob(name, value);
                        }
                    });
            try (Shipper client = Misuse.check(this::wrongUse, shipper::client)) {
                PeerAddress server = Misuse.check(this::wrongUse, () -> bmi.lookup(at));
                asks(at);
                return question.ask(client, server, PATIENCE);
            }
        }
    }

    private static TextTable table(List<CallUnderWay> calls) {
        TextTable table = new TextTable("llrrl", "function", "client", "age s", "left s", "why");
        for (CallUnderWay call : calls) {
            table.row(
                    call.function(),
                    call.client(),
                    Quantities.seconds(call.ageMs() * NS_PER_MS),
                    call.leftMs() < 0 ? "-" : Quantities.seconds(call.leftMs() * NS_PER_MS),
                    call.reason());
        }
        return table;
    }

    private static TextTable countsTable(List<ServerCount> counts) {
        TextTable table = new TextTable("lrl", "counter", "value", "unit");
        for (ServerCount count : counts) {
            table.row(count.name(), Long.toString(count.value()), count.unit());
        }
        return table;
    }

    private static String countsJson(List<ServerCount> counts) {
        JsonWriter writer = new JsonWriter();
        writer.beginObject();
        for (ServerCount count : counts) {
            writer.name(count.name()).value(count.value());
        }
        return writer.end().toString();
    }

    private static String json(List<CallUnderWay> calls) {
        JsonWriter writer = new JsonWriter();
        writer.beginObject().name("calls").beginArray();
        for (CallUnderWay call : calls) {
            writer.beginObject();
            writer.name("function").value(call.function()).name("client").value(call.client());
            writer.name("ageMs").value(call.ageMs()).name("leftMs").value(call.leftMs());
            writer.name("reason").value(call.reason());
            writer.end();
        }
        return writer.end().end().toString();
    }
}
