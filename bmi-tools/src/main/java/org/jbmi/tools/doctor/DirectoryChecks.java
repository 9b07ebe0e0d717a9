package org.jbmi.tools.doctor;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.SegmentException;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.mempool.SweepReport;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.tools.text.ProcessState;
import org.jbmi.tools.text.Quantities;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.ErrorsFile;
import org.jbmi.zbmi.host.place.Holders;
import org.jbmi.zbmi.host.place.HostInUse;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.host.place.HostLayout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/** Checks who serves a runtime directory, whether it answers, and what dead processes have left. */
final class DirectoryChecks {
    private static final String SUBJECT = "runtime directory";
    private static final long NEEDED_BYTES = 4 << 20;
    private static final HostInUse NOBODY = new HostInUse(HostInUse.Kind.NONE, 0, 0);

    private final RuntimeDirectory directory;
    private final Configuration knobs;
    private final Diagnosis found;

    DirectoryChecks(RuntimeDirectory directory, Configuration knobs, Diagnosis found) {
        this.directory = directory;
        this.knobs = knobs;
        this.found = found;
    }

    /** Runs all checks; returns the host of the directory. */
    HostInUse run() {
        HostInUse host = NOBODY;
        try {
            if (directory.check()) {
                host = look();
            } else {
                missing();
            }
        } catch (BmiException e) {
            found.wrong(SUBJECT, String.valueOf(e.getMessage()), adviceFor(e.code()));
        }
        segments();
        return host;
    }

    private HostInUse look() {
        if (!mayUse(directory.path())) {
            found.wrong(
                    SUBJECT,
                    "This user may not make files in its own directory %s."
                            .formatted(directory.path()),
                    "chmod 700 " + directory.path());
            return NOBODY;
        }
        boolean isServed = HostInUse.isServed(directory);
        space(isServed);
        if (!isServed) {
            leftovers();
            return NOBODY;
        }
        return host();
    }

    private static boolean mayUse(Path folder) {
        return Files.isWritable(folder) && Files.isReadable(folder) && Files.isExecutable(folder);
    }

    private String adviceFor(ErrorCode code) {
        String another = "set " + RuntimeDirectory.KNOB.name() + " to another one.";
        Path path = directory.path();
        if (code == ErrorCode.ENAMETOOLONG) {
            return ""; // the other finding says it
        }
        if (code != ErrorCode.EACCES) {
            return "See whether this user may enter the directories above it, or " + another;
        }
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return "Move it away, or " + another;
        }
        try {
            Object owner = Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            boolean isOwn = owner.equals(NativeAccess.effectiveUserId());
            return (isOwn ? "chmod 700 " + path + ", or " : "Only its owner can use it: ")
                    + another;
        } catch (IOException e) {
            return "It has just changed: run this command again.";
        }
    }

    // The program that makes it also makes the directories above it.
    private void missing() {
        Path path = directory.path().toAbsolutePath().normalize();
        Path above = path.getParent();
        while (above != null && !Files.exists(above, LinkOption.NOFOLLOW_LINKS)) {
            above = above.getParent();
        }
        if (above == null || !Files.isDirectory(above) || !mayUse(above)) {
            found.wrong(
                    SUBJECT,
                    "%s is not there, and this user may not make it in %s."
                            .formatted(directory.path(), above),
                    "Set " + RuntimeDirectory.KNOB.name() + " to one that it may make.");
        } else {
            found.note(
                    SUBJECT,
                    directory.path() + " is not there yet.",
                    "The first host makes it: 'zbmi serve', or a server.");
        }
    }

    private void space(boolean isServed) {
        try {
            long free = Files.getFileStore(directory.path()).getUsableSpace();
            if (free < NEEDED_BYTES && !isServed) {
                found.wrong(
                        SUBJECT,
                        "The file system of %s has only %s free."
                                .formatted(directory.path(), Quantities.bytes(free)),
                        "A host keeps its counters there: make room, or set "
                                + RuntimeDirectory.KNOB.name()
                                + ".");
            } else {
                found.good(
                        SUBJECT,
                        "%s is this user's alone, with %s free."
                                .formatted(directory.path(), Quantities.bytes(free)));
            }
        } catch (IOException e) {
            found.note(SUBJECT, "Its file system does not say what is free.", "");
        }
    }

    private HostInUse host() {
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
        return host;
    }

    // A daemon that lends answers that the server does, so the silent one may be the server.
    private void silent(long hostPid, String sentence) {
        ProcessState state = ProcessState.of(hostPid);
        if (hostPid == 0) {
            found.wrong(
                    "host",
                    sentence,
                    ("It is just starting, or somebody removed its file %s: run this command"
                                    + " again; if it says the same, end the process that holds"
                                    + " the directory.")
                            .formatted(directory.pid()));
        } else if (state == ProcessState.NONE) {
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
                        "Process %d %s, and holds %s."
                                .formatted(
                                        holder.pid(),
                                        state.words(),
                                        Quantities.count(holder.operations(), "operation")),
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
                    "The host has seen %s."
                            .formatted(Quantities.count(distinct, "kind") + " of errors"),
                    "'zbmi errors' shows them.");
        }
    }

    private void leftovers() {
        found.note(
                "host",
                "No process serves " + directory.path() + ".",
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
                    "'zbmi errors' shows the errors that it has seen; the next host removes all"
                            + " this.");
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
