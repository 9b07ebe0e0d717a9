package org.jbmi.tools.doctor;

import org.jbmi.BmiException;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.tools.text.Quantities;
import org.jbmi.zbmi.attach.FileFailure;
import org.jbmi.zbmi.host.journal.Journals;
import org.jbmi.zbmi.host.place.HostInUse;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.host.port.CommandPorts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks what the machine offers to a host with these knobs: memory, descriptors, queues, native
 * calls.
 */
final class MachineChecks {
    private static final Pattern AVAILABLE =
            Pattern.compile("(?m)^MemAvailable:\\s+(\\d{1,15}) kB$");
    private static final Pattern OPEN_FILES =
            Pattern.compile("(?m)^Max open files\\s+(\\d{1,18})\\s+(\\d{1,18}|unlimited)\\s");
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");
    private static final int DESCRIPTORS_OF_ITS_OWN = 100;
    private static final int DESCRIPTORS_A_CLIENT = 2;

    private final Configuration knobs;
    private final boolean isServed;

    /** The process of the engine; 0 if there is none or it is not known. */
    private final long hostPid;

    private final Diagnosis found;

    /**
     * Makes the checks of a machine.
     *
     * @param knobs of the host
     * @param host the host that runs and has its memory already, if any
     * @param found takes the findings
     */
    MachineChecks(Configuration knobs, HostInUse host, Diagnosis found) {
        this.knobs = knobs;
        this.isServed = host.kind() != HostInUse.Kind.NONE;
        this.hostPid = host.kind() == HostInUse.Kind.DIRECT ? host.serverPid() : host.hostPid();
        this.found = found;
    }

    void run() {
        versions();
        nativeCalls();
        descriptors();
        channels();
        journal();
        try {
            HostLayout layout = HostLayout.of(knobs);
            memory(layout.map().segmentBytes());
            segmentDirectory(layout.segmentDirectory(), layout.map().segmentBytes());
        } catch (BmiException e) {
            found.wrong(
                    "knobs",
                    String.valueOf(e.getMessage()),
                    "Change one of them; 'bmi info' shows where each value comes from.");
        }
    }

    private void versions() {
        String own = String.valueOf(MachineChecks.class.getPackage().getImplementationVersion());
        found.good(
                "versions",
                "jbmi %s on Java %s, %s %s, %d processors."
                        .formatted(
                                own.equals("null") ? "of this build" : own,
                                Runtime.version(),
                                System.getProperty("os.name"),
                                System.getProperty("os.arch"),
                                Runtime.getRuntime().availableProcessors()));
    }

    private void nativeCalls() {
        Optional<String> reason = NativeAccess.unavailabilityReason();
        if (reason.isPresent()) {
            found.wrong(
                    "native calls",
                    "zoid cannot be used here: " + reason.get() + ".",
                    "Use tcp or loopback, or a machine and a Java command that zoid supports.");
        } else {
            found.good("native calls", "The system calls that zoid needs are there.");
        }
    }

    private void descriptors() {
        String own = contentOf(Path.of("/proc/self/limits"));
        String hosts = hostPid == 0 ? "" : contentOf(Path.of("/proc", hostPid + "", "limits"));
        String who = hosts.isEmpty() ? "A process" : "The host, process %d,".formatted(hostPid);
        Matcher limit = OPEN_FILES.matcher(hosts.isEmpty() ? own : hosts);
        if (!limit.find()) {
            found.note("descriptors", "The limit on open files is not known here.", "");
            return;
        }
        long most = Long.parseLong(limit.group(1));
        long wanted =
                DESCRIPTORS_OF_ITS_OWN + DESCRIPTORS_A_CLIENT * knobs.get(HostKnobs.MAX_CLIENTS);
        if (most < wanted) {
            found.wrong(
                    "descriptors",
                    "%s may have %d open files, and a host of %d clients needs about %d."
                            .formatted(who, most, knobs.get(HostKnobs.MAX_CLIENTS), wanted),
                    "Raise the limit (ulimit -n, LimitNOFILE), or lower "
                            + HostKnobs.MAX_CLIENTS.name()
                            + (hosts.isEmpty() ? "." : ", and start the host again."));
        } else {
            found.good("descriptors", "%s may have %d open files.".formatted(who, most));
        }
    }

    private void channels() {
        String chosen = knobs.get(HostKnobs.COMMAND_CHANNEL);
        boolean isThere = chosen.equals(CommandPorts.ANY);
        for (CommandPortProvider provider : CommandPorts.all()) {
            boolean isChosen = provider.name().equals(chosen);
            isThere |= isChosen;
            Optional<String> reason = provider.unavailabilityReason();
            String subject = "channel " + provider.name();
            if (reason.isPresent()) {
                found.wrongIf(
                        isChosen,
                        subject,
                        "This command channel cannot be used: " + reason.get() + ".",
                        isChosen ? "Choose another one, or mend what it names." : "");
            } else {
                found.good(subject, "This command channel can be used.");
            }
        }
        if (!isThere) {
            found.wrong(
                    "channel " + chosen,
                    "There is no such command channel.",
                    "Correct " + HostKnobs.COMMAND_CHANNEL.name() + ".");
        }
    }

    // A host that runs has begun its own already.
    private void journal() {
        String folder = knobs.get(HostKnobs.JOURNAL);
        if (folder.isEmpty() || isServed) {
            return;
        }
        String subject = "journal";
        String advice =
                "Set %s to a new folder; leave it empty for none."
                        .formatted(HostKnobs.JOURNAL.name());
        try {
            String obstacle = Journals.require().obstacle(Path.of(folder)).orElse("");
            if (obstacle.isEmpty()) {
                found.good(subject, "A host can begin one in " + folder + ".");
            } else {
                found.wrong(subject, "None can begin: " + obstacle + ".", advice);
            }
        } catch (IOException e) {
            found.wrong(subject, "None can begin: " + FileFailure.reason(e) + ".", advice);
        } catch (BmiException e) {
            found.wrong(subject, String.valueOf(e.getMessage()), advice);
        }
    }

    private void memory(long segmentBytes) {
        Matcher available = AVAILABLE.matcher(contentOf(Path.of("/proc/meminfo")));
        if (!available.find()) {
            found.note("memory", "How much memory is available is not known here.", "");
            return;
        }
        long bytes = Long.parseLong(available.group(1)) * 1024;
        if (!isServed && bytes < segmentBytes) {
            found.wrong(
                    "memory",
                    "%s of memory are available, and the segment takes %s."
                            .formatted(Quantities.bytes(bytes), Quantities.bytes(segmentBytes)),
                    "Lower " + HostKnobs.TOTAL_BYTES.name() + ", or end what takes the memory.");
        } else {
            found.good("memory", Quantities.bytes(bytes) + " of memory are available.");
        }
    }

    private void segmentDirectory(Path directory, long segmentBytes) {
        String subject = "segment directory";
        if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
            found.wrong(
                    subject,
                    directory + " is not a directory in which this user can make files.",
                    "Make it, or set " + HostKnobs.SEGMENT_DIRECTORY.name() + " to another one.");
            return;
        }
        try {
            FileStore store = Files.getFileStore(directory);
            long free = store.getUsableSpace();
            String sentence =
                    "%s, on %s, has %s free, and a segment takes %s."
                            .formatted(
                                    directory,
                                    store.type(),
                                    Quantities.bytes(free),
                                    Quantities.bytes(segmentBytes));
            if (free < segmentBytes && !isServed) {
                found.wrong(
                        subject,
                        sentence,
                        "Enlarge the file system (for a container, its size of /dev/shm), or lower "
                                + HostKnobs.TOTAL_BYTES.name()
                                + ".");
            } else if (free < segmentBytes) {
                found.note(
                        subject,
                        sentence,
                        "A server that hosts the engine itself would find no room beside the"
                                + " daemon's segment.");
            } else if (IN_MEMORY.contains(store.type())) {
                found.good(subject, sentence);
            } else {
                found.note(
                        subject,
                        sentence,
                        "A file system that lives in memory is faster: nothing is written to a"
                                + " disk.");
            }
        } catch (IOException e) {
            found.wrong(subject, "The space in %s is not known: %s.".formatted(directory, e), "");
        }
    }

    private static String contentOf(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "";
        }
    }
}
