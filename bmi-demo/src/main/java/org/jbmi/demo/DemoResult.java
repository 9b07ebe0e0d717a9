package org.jbmi.demo;

import org.jbmi.tools.text.JsonWriter;
import org.jbmi.tools.text.Quantities;
import org.jbmi.tools.text.TextTable;

import java.util.ArrayList;
import java.util.List;

/**
 * The result of a demo.
 *
 * @param plan its plan
 * @param clients the state of each client at the end
 * @param digest the digest that every copy should have
 * @param writeNs how long the clients took to write, from the first that began to the last that
 *     ended
 * @param readNs how long they took to read the file back
 */
record DemoResult(
        DemoPlan plan, List<ClientRun> clients, String digest, long writeNs, long readNs) {
    /** The result of a demo that failed. */
    static DemoResult none(DemoPlan plan) {
        return new DemoResult(plan, List.of(), "", 0, 0);
    }

    boolean isVerified() {
        return clients.size() == plan.clients()
                && clients.stream().allMatch(client -> client.isVerified(digest));
    }

    double writeMibPerSecond() {
        return rate(writeNs);
    }

    double readMibPerSecond() {
        return rate(readNs);
    }

    /** The table of clients. */
    List<String> table() {
        TextTable table =
                new TextTable(
                        "rrrrrrl",
                        "client",
                        "bytes",
                        "write s",
                        "read s",
                        "write MiB/s",
                        "read MiB/s",
                        "SHA-256");
        for (ClientRun client : clients) {
            if (client.isLost()) {
                String no = "-";
                String number = Integer.toString(client.number());
                table.row(number, no, no, no, no, no, "none, it " + client.problem());
            } else {
                table.row(row(client));
            }
        }
        return table.lines();
    }

    /** The result as a line of JSON. */
    String json() {
        return new JsonWriter()
                .beginObject()
                .name("verified")
                .value(isVerified())
                .name("clients")
                .value(plan.clients())
                .name("bytes")
                .value(plan.sizeBytes())
                .name("writeMibPerSecond")
                .value(writeMibPerSecond())
                .name("readMibPerSecond")
                .value(readMibPerSecond())
                .end()
                .toString();
    }

    /** One sentence for each thing that went wrong. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        long good = clients.stream().filter(client -> client.isVerified(digest)).count();
        for (ClientRun client : clients) {
            if (client.isLost()) {
                problems.add(
                        "%s %s; %d of %d clients got back what they wrote."
                                .formatted(client.name(), client.problem(), good, clients.size()));
            } else if (!client.isVerified(digest)) {
                problems.add(client.name() + " got something else back than it wrote.");
            }
        }
        return problems;
    }

    private String[] row(ClientRun client) {
        long bytes = plan.sizeBytes();
        return new String[] {
            Integer.toString(client.number()),
            Long.toString(bytes),
            Quantities.seconds(client.writeNs()),
            Quantities.seconds(client.readNs()),
            Quantities.decimal(Quantities.mibPerSecond(bytes, client.writeNs())),
            Quantities.decimal(Quantities.mibPerSecond(bytes, client.readNs())),
            client.isVerified(digest) ? "equal" : "NOT EQUAL"
        };
    }

    private double rate(long nanos) {
        long finished = clients.stream().filter(client -> !client.isLost()).count();
        return Quantities.mibPerSecond(finished * plan.sizeBytes(), nanos);
    }
}
