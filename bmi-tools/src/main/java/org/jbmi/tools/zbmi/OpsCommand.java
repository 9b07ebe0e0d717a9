package org.jbmi.tools.zbmi;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.text.JsonWriter;
import org.jbmi.tools.text.Quantities;
import org.jbmi.tools.text.TextTable;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.Holders;
import org.jbmi.zbmi.host.place.PendingOperations;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** The command {@code zbmi ops}. */
@Command(
        name = "ops",
        versionProvider = ToolVersion.class,
        description = {
            "Shows every pending operation, and why it waits.",
            "",
            "Asks the engine page by page while it runs: operations that"
                    + " begin or end meanwhile may be missing. If the host does not"
                    + " answer within five seconds, because it is stopped, the"
                    + " command reads from shared memory which session holds what.",
            ""
        })
public final class OpsCommand extends DaemonCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(
            names = "--holders",
            description =
                    "Show instead which session holds operations, unexpected memory"
                            + " and pool, read from shared memory.")
    private boolean holdersOnly;

    @Override
    public Integer call() throws ToolException {
        RuntimeDirectory directory = directory();
        checkAlive(directory);
        List<PendingOperations.Pending> all = new ArrayList<>();
        boolean isAnswered = !holdersOnly && ask(directory, all);
        List<Holders.Holder> holders = Holders.read(directory);
        PrintWriter out = spec().commandLine().getOut();
        if (json) {
            out.println(json(isAnswered, all, holders));
        } else if (isAnswered) {
            table(all).lines().forEach(out::println);
            out.println(Quantities.count(all.size(), "operation"));
        } else {
            HoldersView.table(holders).lines().forEach(out::println);
        }
        return 0;
    }

    private boolean ask(RuntimeDirectory directory, List<PendingOperations.Pending> all)
            throws ToolException {
        try {
            PendingOperations.forEach(directory, all::add);
            return true;
        } catch (BmiException e) {
            if (e.code() != ErrorCode.ETIMEDOUT) {
                throw e;
            }
            all.clear();
            checkAlive(directory);
            String sentence =
                    "zbmi: The host does not answer; what follows is what its shared memory says."
                            + " 'bmi doctor' looks for the reason.";
            spec().commandLine().getErr().println(sentence);
            return false;
        }
    }

    private static TextTable table(List<PendingOperations.Pending> all) {
        TextTable table =
                new TextTable(
                        "lrlrlrrrl",
                        "owner",
                        "process",
                        "peer",
                        "process",
                        "kind",
                        "tag",
                        "size",
                        "age s",
                        "why it waits");
        for (PendingOperations.Pending p : all) {
            table.row(
                    owner(p),
                    Long.toString(p.isOfServer() ? p.serverPid() : p.clientPid()),
                    peer(p),
                    Long.toString(p.isOfServer() ? p.clientPid() : p.serverPid()),
                    kind(p),
                    Integer.toString(p.tag()),
                    Quantities.bytes(p.bytes()),
                    Quantities.seconds(p.ageNs()),
                    p.reason().sentence());
        }
        return table;
    }

    private static String json(
            boolean isAnswered, List<PendingOperations.Pending> all, List<Holders.Holder> holders) {
        JsonWriter writer = new JsonWriter();
        writer.beginObject().name("operations").beginArray();
        for (PendingOperations.Pending p : all) {
            writer.beginObject();
            writer.name("id").value(Long.toHexString(p.id()));
            writer.name("owner").value(owner(p)).name("peer").value(peer(p));
            writer.name("clientPid").value(p.clientPid()).name("serverPid").value(p.serverPid());
            writer.name("kind").value(kind(p)).name("tag").value(p.tag());
            writer.name("bytes").value(p.bytes()).name("ageNs").value(p.ageNs());
            writer.name("reason").value(p.reason().name());
            writer.name("sentence").value(p.reason().sentence());
            writer.end();
        }
        writer.end().name("answered").value(isAnswered);
        HoldersView.json(writer, holders);
        return writer.end().toString();
    }

    private static String owner(PendingOperations.Pending p) {
        return p.isOfServer() ? "server" : "client " + p.client();
    }

    private static String peer(PendingOperations.Pending p) {
        return p.isOfServer() ? "client " + p.client() : "server";
    }

    private static String kind(PendingOperations.Pending p) {
        if (p.isUnexpected()) {
            return "unexpected send";
        }
        return p.isSend() ? "send" : "receive";
    }
}
