package org.jbmi.rig.perf.report;

import org.jbmi.rig.perf.Distance;
import org.jbmi.rig.perf.Finding;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.Findings.Spread;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.Round;
import org.jbmi.rig.perf.phase.Footprint;
import org.jbmi.tools.text.JsonWriter;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Consumer;

/** A run as one JSON object: that of the last size, with all sizes of a sweep in a list. */
public final class JsonReport {
    private static final int DECIMALS = 3;

    private JsonReport() {}

    /** Writes a run. */
    public static String of(Findings findings) {
        return of(findings, json -> {});
    }

    /**
     * Writes a run, with further members.
     *
     * @param first writes the further members, which come first
     */
    public static String of(Findings findings, Consumer<JsonWriter> first) {
        PerfPlan plan = findings.plan();
        JsonWriter json = new JsonWriter().beginObject();
        first.accept(json);
        json.name("target").value(plan.target());
        json.name("wait").value(plan.waiting().toString());
        json.name("cpus").value(plan.cpus().toString());
        json.name("clients").value(plan.clients().processes());
        json.name("instances").value(plan.clients().instances());
        json.name("threads").value(plan.clients().threads());
        json.name("outstanding").value(plan.phase().outstanding());
        json.name("pending").value(plan.phase().pending());
        json.name("verified").value(plan.phase().options().verify());
        json.name("touched").value(plan.phase().options().touch());
        if (plan.phase().ratePerSecond() > 0) {
            number(json, "rate", plan.phase().ratePerSecond() * plan.clients().flows());
        }
        fields(json, findings.ours().getLast());
        double calibration = (findings.calibrationBeforeUs() + findings.calibrationAfterUs()) / 2;
        number(json, "calibrationUs", calibration);
        number(json, "calibrationBeforeUs", findings.calibrationBeforeUs());
        number(json, "calibrationAfterUs", findings.calibrationAfterUs());
        number(json, "slowdown", findings.slowdown());
        if (findings.load() >= 0) {
            number(json, "load", findings.load());
        }
        if (findings.held() != null) {
            held(json, findings.held());
        }
        versus(json, findings);
        if (findings.ours().size() > 1) {
            sweep(json, "sweep", findings.ours());
        }
        json.name("remarks").beginArray();
        findings.remarks().forEach(json::value);
        return json.end().end().toString();
    }

    private static void sweep(JsonWriter json, String name, List<Finding> sizes) {
        json.name(name).beginArray();
        for (Finding finding : sizes) {
            json.beginObject();
            fields(json, finding);
            json.end();
        }
        json.end();
    }

    private static void versus(JsonWriter json, Findings findings) {
        if (findings.others().isEmpty()) {
            return;
        }
        json.name("versus").beginArray();
        for (List<Finding> sizes : findings.others()) {
            Finding last = sizes.getLast();
            json.beginObject().name("name").value(last.side());
            ratio(json, "ratio", Findings.ratio(findings.ours().getLast(), last, null));
            for (Distance distance : Distance.values()) {
                ratio(
                        json,
                        distance + "Ratio",
                        Findings.ratio(findings.ours().getLast(), last, distance));
            }
            fields(json, last);
            if (sizes.size() > 1) {
                sweep(json, "sweep", sizes);
            }
            json.end();
        }
        json.end();
    }

    private static void ratio(JsonWriter json, String name, @Nullable Spread ratio) {
        if (ratio != null) {
            number(json, name + "Min", ratio.min());
            number(json, name, ratio.median());
            number(json, name + "Max", ratio.max());
            json.name(name + "Rounds").value(ratio.count());
        }
    }

    private static void states(JsonWriter json, Finding finding) {
        for (Distance distance : Distance.values()) {
            Finding some = finding.at(distance);
            if (!some.rounds().isEmpty()) {
                json.name(distance.toString()).beginObject();
                json.name("rounds").value(some.rounds().size());
                number(json, "p50Us", some.latencyUs(50));
                number(json, "p99Us", some.latencyUs(99));
                number(json, "messagesPerSecond", some.messagesPerSecond());
                json.name("gbPerSecond").value(some.gbPerSecond(), 6);
                json.end();
            }
        }
    }

    private static void turns(JsonWriter json, Finding finding) {
        json.name("turns").beginArray();
        for (Round round : finding.rounds()) {
            json.beginObject();
            number(json, "beforeUs", round.before().lowUs());
            number(json, "beforeHighUs", round.before().highUs());
            number(json, "afterUs", round.after().lowUs());
            number(json, "afterHighUs", round.after().highUs());
            number(json, "stolenPercent", round.stolenPercent());
            number(json, "p50Us", Finding.latencyUs(round.result(), 50));
            json.end();
        }
        json.end();
    }

    private static void held(JsonWriter json, Findings.Held held) {
        json.name("connections").value(held.connections());
        if (held.server() != null) {
            footprint(json, "server", held.server());
        }
        footprint(json, "client", held.clients());
    }

    private static void footprint(JsonWriter json, String side, Footprint footprint) {
        json.name(side + "HeapBytes").value(footprint.heapBytes());
        json.name(side + "OutsideBytes").value(footprint.outsideBytes());
        json.name(side + "Threads").value(footprint.threads());
    }

    private static void fields(JsonWriter json, Finding finding) {
        json.name("setup").value(finding.setup());
        json.name("rounds").value(finding.rounds().size());
        states(json, finding);
        turns(json, finding);
        json.name("pattern").value(finding.phasePattern());
        json.name("bytes").value(finding.bytes());
        number(json, "p50Us", finding.latencyUs(50));
        number(json, "p90Us", finding.latencyUs(90));
        number(json, "p99Us", finding.latencyUs(99));
        number(json, "p999Us", finding.latencyUs(99.9));
        number(json, "maxUs", finding.latencyUs(100));
        json.name("exchanges").value(finding.result().exchanges());
        number(json, "exchangesPerSecond", finding.exchangesPerSecond());
        number(json, "messagesPerSecond", finding.messagesPerSecond());
        json.name("gbPerSecond").value(finding.gbPerSecond(), 6);
        number(json, "allocatedBytesPerMessage", finding.allocatedBytesPerMessage());
        number(json, "steadyAllocatedBytesPerMessage", finding.steadyAllocatedBytesPerMessage());
        number(json, "clientCopiesPerMessage", finding.clientCopiesPerMessage());
        number(json, "serverCopiesPerMessage", finding.serverCopiesPerMessage());
        if (finding.callsPerMessage() >= 0) {
            number(json, "systemCallsPerMessage", finding.callsPerMessage());
            json.name("systemCalls").beginObject();
            finding.calls().forEach((name, each) -> number(json, name, each));
            json.end();
        } else {
            json.name("systemCallsPerMessage").value((String) null);
        }
        number(json, "testCallNs", finding.result().costs().testCallNs());
        number(json, "clientCpuPercent", finding.clientCpuPercent());
        number(json, "serverCpuPercent", finding.serverCpuPercent());
        number(json, "serverCpuNsPerMessage", finding.serverCpuNsPerMessage());
        number(json, "serverThreadNsPerMessage", finding.serverThreadNsPerMessage());
        number(json, "clientSharePercent", finding.clientSharePercent());
        number(json, "serverSharePercent", finding.serverSharePercent());
        number(json, "compilerPercent", finding.compilerPercent());
        if (finding.result().flows().size() > 1) {
            number(json, "slowestToMedian", finding.fairness());
        }
    }

    private static void number(JsonWriter json, String name, double value) {
        json.name(name).value(value, DECIMALS);
    }
}
