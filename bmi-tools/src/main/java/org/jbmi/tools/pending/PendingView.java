package org.jbmi.tools.pending;

import org.jbmi.PendingOperation;
import org.jbmi.tools.text.JsonWriter;
import org.jbmi.tools.text.Quantities;
import org.jbmi.tools.text.TextTable;

import java.io.PrintWriter;
import java.util.List;

/** Prints what {@link ProcessOperations} was told. */
public final class PendingView {
    private static final int HEX = 16;

    private PendingView() {}

    /**
     * Prints a table.
     *
     * @param out where to
     * @param answer of a process
     * @param most how many operations at most
     */
    public static void print(PrintWriter out, ProcessOperations.Answer answer, int most) {
        List<ProcessOperations.Found> shown = shown(answer, most);
        TextTable table =
                new TextTable(
                        "llllrrrl",
                        "instance",
                        "method",
                        "peer",
                        "kind",
                        "tag",
                        "size",
                        "age s",
                        "state");
        for (ProcessOperations.Found each : shown) {
            PendingOperation operation = each.operation();
            table.row(
                    Integer.toString(each.instance(), HEX),
                    operation.method(),
                    operation.peer(),
                    operation.kind().replace('_', ' '),
                    Integer.toString(operation.tag()),
                    Quantities.bytes(operation.sizeBytes()),
                    Quantities.seconds(operation.ageNs()),
                    operation.isOver() ? "over, not collected" : "pending");
        }
        table.lines().forEach(out::println);
        String shownOf = shown.size() < answer.total() ? shown.size() + " of " : "";
        out.println(shownOf + Quantities.count(answer.total(), "operation"));
    }

    /**
     * Prints one JSON object.
     *
     * @param out where to
     * @param answer of a process
     * @param most how many operations at most
     */
    public static void printJson(PrintWriter out, ProcessOperations.Answer answer, int most) {
        JsonWriter writer = new JsonWriter();
        writer.beginObject().name("total").value(answer.total());
        writer.name("operations").beginArray();
        for (ProcessOperations.Found each : shown(answer, most)) {
            PendingOperation operation = each.operation();
            writer.beginObject();
            writer.name("instance").value(Integer.toString(each.instance(), HEX));
            writer.name("id").value(Long.toHexString(operation.id()));
            writer.name("method").value(operation.method()).name("peer").value(operation.peer());
            writer.name("kind").value(operation.kind()).name("tag").value(operation.tag());
            writer.name("bytes").value(operation.sizeBytes());
            writer.name("ageNs").value(operation.ageNs()).name("over").value(operation.isOver());
            writer.end();
        }
        out.println(writer.end().end());
    }

    private static List<ProcessOperations.Found> shown(ProcessOperations.Answer answer, int most) {
        return answer.found().subList(0, Math.min(most, answer.found().size()));
    }
}
