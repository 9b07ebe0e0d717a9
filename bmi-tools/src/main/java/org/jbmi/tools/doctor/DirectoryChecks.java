package org.jbmi.tools.doctor;

import org.jbmi.BmiException;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.SegmentException;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.mempool.SweepReport;
import org.jbmi.tools.text.ProcessState;
import org.jbmi.tools.text.Quantities;
import org.jbmi.zbmi.host.ErrorsFile;
import org.jbmi.zbmi.host.Holders;
import org.jbmi.zbmi.host.HostInUse;
import org.jbmi.zbmi.host.HostKnobs;
import org.jbmi.zbmi.host.HostLayout;
import org.jbmi.zbmi.link.RuntimeDirectory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/** Who serves a runtime directory, whether it answers, and what dead ones have left. */
final class DirectoryChecks {
    private static final long NEEDED_BYTES = 4 << 20;

    private final RuntimeDirectory directory;
    private final Configuration knobs;
    private final Diagnosis found;

    DirectoryChecks(RuntimeDirectory directory, Configuration knobs, Diagnosis found) {
        this.directory = directory;
        this.knobs = knobs;
        this.found = found;
    }

    /** Looks at everything; returns whether a host is there. */
    boolean run() {
        boolean isServed = false;
        try {
            if (directory.check()) {
                isServed = HostInUse.isServed(directory);
                space(isServed);
                host(isServed);
            } else {
                found.note(
                        "runtime directory",
                        directory.path() + " is not there yet.",
                        "The first host makes it: 'zbmi serve', or a server.");
            }
        } catch (BmiException e) {
            found.wrong(
                    "runtime directory",
                    String.valueOf(e.getMessage()),
                    "It must belong to this user alone, with mode 0700: chmod 700 "
                            + directory.path()
                            + ", or set "
                            + RuntimeDirectory.KNOB.name()
                            + ".");
        }
        segments();
        return isServed;
    }

    private void space(boolean isServed) {
        try {
            long free = Files.getFileStore(directory.path()).getUsableSpace();
            if (free < NEEDED_BYTES && !isServed) {
                found.wrong(
                        "runtime directory",
                        "The file system of %s has only %s free."
                                .formatted(directory.path(), Quantities.bytes(free)),
                        "A host keeps its counters there: make room, or set "
                                + RuntimeDirectory.KNOB.name()
                                + ".");
            } else {
                found.good(
                        "runtime directory",
                        "%s is this user's alone, with %s free."
                                .formatted(directory.path(), Quantities.bytes(free)));
            }
        } catch (IOException e) {
            found.note("runtime directory", "Its file system does not say what is free.", "");
        }
    }

    private void host(boolean isServed) {
        if (!isServed) {
            leftovers();
            return;
        }
        HostInUse host = HostInUse.of(directory);
        String sentence = "In %s, %s.".formatted(directory.path(), host.words());
        if (host.kind() == HostInUse.Kind.SILENT) {
            silent(host.hostPid(), sentence);
        } else if (host.kind() == HostInUse.Kind.NONE) {
            found.note("host", "It has ended just now.", "");
        } else {
            found.good("host", sentence);
        }
        holders();
        errors();
    }

    // A daemon that lends answers that the server does, so the silent one may be the server.
    private void silent(long hostPid, String sentence) {
        ProcessState state = ProcessState.of(hostPid);
        if (hostPid == 0 || state == ProcessState.NONE) {
            found.wrong(
                    "host",
                    sentence + " That process cannot be seen from here.",
                    "It is in another process namespace (a container of its own): clients must be"
                            + " in the same one, or come through its gateway.");
        } else if (state.isStopped()) {
            found.wrong(
                    "host",
                    "%s Process %d %s.".formatted(sentence, hostPid, state.words()),
                    "Let it go on: kill -CONT %d. 'zbmi ops' shows meanwhile who waits for it."
                            .formatted(hostPid));
        } else {
            found.wrong(
                    "host",
                    sentence,
                    "See whether the server is stopped, below, and what the host's own log says;"
                            + " it may speak another version of the protocol.");
        }
    }

    private void holders() {
        for (Holders.Holder holder : Holders.read(directory)) {
            ProcessState state = ProcessState.of(holder.pid());
            String who = holder.isServer() ? "server" : "client " + holder.session();
            if (state.isStopped()) {
                found.wrong(
                        who,
                        "Process %d %s, and holds %d operations."
                                .formatted(holder.pid(), state.words(), holder.operations()),
                        "Let it go on (kill -CONT %d), or end it.".formatted(holder.pid()));
            } else if (holder.pid() != 0 && state == ProcessState.NONE) {
                found.note(who, "Its process, %d, is not there.".formatted(holder.pid()), "");
            }
        }
    }

    private void errors() {
        int distinct = ErrorsFile.readAll(directory).size();
        if (distinct > 0) {
            found.note(
                    "errors",
                    "The host has seen %d kinds of errors.".formatted(distinct),
                    "'zbmi errors' shows them.");
        }
    }

    private void leftovers() {
        found.note(
                "host",
                "Nobody serves " + directory.path() + ".",
                "'zbmi serve' starts a daemon; a server needs none.");
        List<Path> left =
                List.of(
                                directory.pid(),
                                directory.socket(),
                                directory.counters(),
                                directory.serverSocket(),
                                directory.serverCounters())
                        .stream()
                        .filter(file -> Files.exists(file, LinkOption.NOFOLLOW_LINKS))
                        .toList();
        if (!left.isEmpty()) {
            found.wrong(
                    "leftovers",
                    "The last host ended without cleaning up: %s %s still there."
                            .formatted(names(left), left.size() == 1 ? "is" : "are"),
                    "'zbmi errors' and 'zbmi stat --counters' show what it left behind; the next"
                            + " host removes it.");
        }
    }

    private void segments() {
        Path where = Path.of(knobs.get(HostKnobs.SEGMENT_DIRECTORY));
        SweepReport report;
        try {
            report = SharedSegment.survey(where, HostLayout.SEGMENT_PREFIX);
        } catch (SegmentException e) {
            found.note("segments", String.valueOf(e.getMessage()), "");
            return;
        }
        if (report.removed().isEmpty()) {
            found.good(
                    "segments",
                    "%d in use in %s, none left by dead processes."
                            .formatted(report.alive().size(), where));
            return;
        }
        long bytes = 0;
        for (Path file : report.removed()) {
            bytes += sizeOf(file);
        }
        found.wrong(
                "segments",
                "Dead processes have left %s of memory in %s: %s."
                        .formatted(Quantities.bytes(bytes), where, names(report.removed())),
                "The next host that starts removes them; so does rm.");
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    private static String names(List<Path> files) {
        return String.join(
                ", ", files.stream().map(file -> String.valueOf(file.getFileName())).toList());
    }
}
