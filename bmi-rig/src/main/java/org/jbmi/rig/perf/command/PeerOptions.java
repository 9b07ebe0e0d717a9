package org.jbmi.rig.perf.command;

import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.baseline.Baseline;
import org.jbmi.rig.perf.baseline.Duplex;
import org.jbmi.rig.perf.baseline.MemoryCopy;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;

import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

/** The options of {@code bmi perf} that say what to compare with. */
final class PeerOptions {
    private static final int MAX_PAIRS = 16;

    @Option(
            names = "--versus",
            paramLabel = "NAME",
            description =
                    "Measure a baseline in the same run: raw-tcp, raw-shm, aeron where the"
                        + " benchmarks are built, memcpy with --pattern stream, or few-pending:"
                        + " TARGET itself with 10 of the --pending receives. With --pattern rpc"
                        + " also call and forward: calls of the function shipper, and of ZOID's"
                        + " plug-in test, over TARGET's method. With --pattern pull or push also"
                        + " stream: messages of at most 1 MiB, 8 under way. May be given several"
                        + " times.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--versus-command",
            paramLabel = "LINE",
            description =
                    "Measure a program of yours in the same run, by a protocol of lines on its"
                        + " standard input and output: docs/howto/measure.md. May be given several"
                        + " times.")
    private List<String> commands = new ArrayList<>();

    /** The peers; an exception says what is wrong. */
    PerfPlan.Peers peers(Phase phase, ByteSizes sizes, PerfPlan.Clients clients) {
        PerfPlan.Peers peers = new PerfPlan.Peers(List.copyOf(names), List.copyOf(commands));
        boolean compares = !commands.isEmpty();
        if (compares) {
            checkOneClient(clients);
        }
        for (String name : names) {
            Pattern layer = Pattern.layer(name);
            if (layer != null) {
                checkOneClient(clients);
                checkLayer(layer, phase, sizes);
            } else if (name.equals(MemoryCopy.NAME)) {
                compares = true;
                checkOneClient(clients);
                checkCopies(phase);
            } else if (!name.equals(PerfPlan.Peers.FEW_PENDING)) {
                compares = true;
                checkSize(name, sizes);
                checkPairs(Baseline.find(name), phase, sizes, clients);
            } else {
                checkPending(phase);
            }
        }
        if (compares) {
            check(phase);
        }
        return peers;
    }

    private static void checkOneClient(PerfPlan.Clients clients) {
        if (clients.flows() > 1) {
            throw new IllegalArgumentException(
                    "Layers, memcpy and commands have one client with one thread");
        }
    }

    private static void checkPairs(
            Baseline baseline, Phase phase, ByteSizes sizes, PerfPlan.Clients clients) {
        if (clients.flows() > MAX_PAIRS) {
            throw new IllegalArgumentException(
                    "A baseline has two processes for each client thread, of at most "
                            + MAX_PAIRS
                            + " client threads");
        }
        if (Duplex.isNeeded(phase, sizes.all().getLast()) && !Duplex.isKnown(baseline, phase)) {
            throw new IllegalArgumentException(
                    baseline.name()
                            + " sends or receives, not both at once: lower --outstanding or"
                            + " --bytes");
        }
        if (phase.pattern().isRoundTrip() && phase.outstanding() > baseline.keptMessages()) {
            throw new IllegalArgumentException(
                    baseline.name()
                            + " keeps at most "
                            + baseline.keptMessages()
                            + " messages under way: lower --outstanding");
        }
    }

    private static void check(Phase phase) {
        if (phase.pattern().isShipped()
                || phase.pattern() == Pattern.LOCAL
                || phase.pattern() == Pattern.IDLE
                || phase.pattern() == Pattern.FORWARD
                || phase.options().verify()
                || phase.pending() > 0) {
            throw new IllegalArgumentException(
                    "Baselines know pingpong, rpc, stream and rate, without --verify and"
                            + " --pending");
        }
    }

    private static void checkLayer(Pattern layer, Phase phase, ByteSizes sizes) {
        Pattern pattern = phase.pattern();
        boolean fits =
                layer == Pattern.STREAM
                        ? pattern == Pattern.PULL || pattern == Pattern.PUSH
                        : pattern == Pattern.RPC;
        if (!fits) {
            throw new IllegalArgumentException(
                    layer
                            + " takes turns with --pattern "
                            + (layer == Pattern.STREAM ? "pull or push" : "rpc"));
        }
        if (phase.options().verify() || phase.pending() > 0) {
            throw new IllegalArgumentException(
                    layer + " is measured without --verify and --pending");
        }
        if (layer == Pattern.CALL) {
            Numbers.between("outstanding", phase.outstanding(), 1, MessageOptions.MAX_CALLS);
        } else if (layer == Pattern.FORWARD) {
            MessageOptions.checkForwarded(phase, sizes);
        }
    }

    private static void checkCopies(Phase phase) {
        if (phase.pattern() != Pattern.STREAM) {
            throw new IllegalArgumentException(
                    MemoryCopy.NAME + " takes turns with --pattern stream");
        }
    }

    private static void checkPending(Phase phase) {
        if (phase.pattern() == Pattern.IDLE) {
            throw new IllegalArgumentException(
                    PerfPlan.Peers.FEW_PENDING
                            + " takes turns with a pattern that sends messages, not with idle");
        }
        if (phase.pending() <= PerfPlan.Peers.FEW) {
            throw new IllegalArgumentException(
                    PerfPlan.Peers.FEW_PENDING
                            + " needs --pending of more than "
                            + PerfPlan.Peers.FEW);
        }
    }

    private static void checkSize(String name, ByteSizes sizes) {
        int most = Baseline.find(name).maxBytes();
        if (sizes.all().getLast() > most) {
            throw new IllegalArgumentException(
                    name + " carries messages of up to " + most + " bytes");
        }
    }
}
