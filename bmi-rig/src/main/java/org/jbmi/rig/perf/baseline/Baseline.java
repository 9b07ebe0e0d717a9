package org.jbmi.rig.perf.baseline;

import org.jbmi.rig.perf.phase.WaitMode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** A library or program to compare with: it carries messages between two processes. */
public interface Baseline {
    /** {@return its name on the command line, for example {@code "raw-tcp"}} */
    String name();

    /** Its setup, as a reader must know it to compare the figures. */
    String setup(WaitMode waiting);

    /** {@return JVM options that both sides need, mostly none} */
    default List<String> jvmOptions() {
        return List.of();
    }

    /** {@return whether one thread of its links can send while it receives} */
    default boolean isDuplex() {
        return false;
    }

    /**
     * {@return how many small messages it keeps, in both directions together, while both sides only
     * send}
     */
    default int keptMessages() {
        return Integer.MAX_VALUE;
    }

    /** {@return the largest message that it carries, in bytes} */
    int maxBytes();

    /**
     * Opens the answering side; may return before the other side has connected.
     *
     * @throws IOException if it cannot be opened
     */
    Link listen(Meeting meeting) throws IOException;

    /**
     * Opens the asking side. The other one was opened before.
     *
     * @throws IOException if it cannot be opened
     */
    Link connect(Meeting meeting) throws IOException;

    /**
     * The address of a connection.
     *
     * @param directory an empty directory in memory, which the caller removes with its files
     * @param port of the loopback interface; 0 if the answering side takes any port, which {@link
     *     Link#port} then gives
     */
    record Meeting(String directory, int port, WaitMode waiting) {}

    /**
     * {@return all baselines, those of this module and those that ServiceLoader finds, in no
     * special order}
     */
    static List<Baseline> all() {
        List<Baseline> found = new ArrayList<>(List.of(new RawTcp(), new RawShm()));
        ServiceLoader.load(Baseline.class).forEach(found::add);
        return found;
    }

    /**
     * Finds one.
     *
     * @throws IllegalArgumentException with a message that lists all names of --versus
     */
    static Baseline find(String name) {
        List<Baseline> all = all();
        for (Baseline baseline : all) {
            if (baseline.name().equals(name)) {
                return baseline;
            }
        }
        throw new IllegalArgumentException(
                "There is no baseline \""
                        + name
                        + "\" here, only "
                        + String.join(", ", all.stream().map(Baseline::name).toList())
                        + ", memcpy, few-pending, call, forward and stream.");
    }
}
