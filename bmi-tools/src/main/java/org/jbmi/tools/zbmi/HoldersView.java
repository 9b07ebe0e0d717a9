package org.jbmi.tools.zbmi;

import org.jbmi.tools.text.JsonWriter;
import org.jbmi.tools.text.ProcessState;
import org.jbmi.tools.text.Quantities;
import org.jbmi.tools.text.TextTable;
import org.jbmi.zbmi.host.place.Holders;

import java.util.List;

/** The holders of operations and memory, as text and as JSON. */
final class HoldersView {
    private HoldersView() {}

    static TextTable table(List<Holders.Holder> holders) {
        TextTable table =
                new TextTable(
                        "lrlrrr",
                        "holder",
                        "process",
                        "state",
                        "operations",
                        "unexpected",
                        "pool for it");
        for (Holders.Holder h : holders) {
            table.row(
                    name(h),
                    Long.toString(h.pid()),
                    ProcessState.of(h.pid()).words(),
                    Long.toString(h.operations()),
                    Quantities.bytes(h.unexpectedBytes()),
                    Quantities.bytes(h.poolBytes()));
        }
        return table;
    }

    static void json(JsonWriter writer, List<Holders.Holder> holders) {
        writer.name("holders").beginArray();
        for (Holders.Holder h : holders) {
            writer.beginObject().name("holder").value(name(h)).name("pid").value(h.pid());
            writer.name("state").value(ProcessState.of(h.pid()).words());
            writer.name("operations").value(h.operations());
            writer.name("unexpectedBytes").value(h.unexpectedBytes());
            writer.name("poolBytes").value(h.poolBytes()).end();
        }
        writer.end();
    }

    private static String name(Holders.Holder holder) {
        return holder.isServer() ? "server" : "client " + holder.session();
    }
}
