package org.jbmi.rig.perf.baseline;

import org.jbmi.rig.perf.worker.WaitMode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Another way of carrying messages between two processes, to be compared with. */
public interface Baseline {
    /**
     * Its name on the command line.
     *
     * @return for example {@code "raw-tcp"}
     */
    String name();

    /**
     * How it is set up: what a reader must know who compares.
     *
     * @param waiting how both sides wait
     * @return some words
     */
    String setup(WaitMode waiting);

    /**
     * Options that the virtual machines of both sides need.
     *
     * @return options, mostly none
     */
    default List<String> jvmOptions() {
        return List.of();
    }

    /**
     * The largest message that it carries.
     *
     * @return bytes
     */
    int maxBytes();

    /**
     * Opens the answering side and returns when the other has connected, or before.
     *
     * @param meeting where both meet
     * @return a link
     * @throws IOException if it cannot be opened
     */
    Link listen(Meeting meeting) throws IOException;

    /**
     * Opens the asking side. The other one was opened before.
     *
     * @param meeting where both meet
     * @return a link
     * @throws IOException if it cannot be opened
     */
    Link connect(Meeting meeting) throws IOException;

    /**
     * Where two sides meet.
     *
     * @param directory an empty directory in memory; what is left in it goes with it
     * @param port of the loopback interface; 0 where the answering side takes any, and tells it by
     *     {@link Link#port}
     * @param waiting how both wait
     */
    record Meeting(String directory, int port, WaitMode waiting) {}

    /**
     * All that are there: those of this program and those found as services.
     *
     * @return a list in no special order
     */
    static List<Baseline> all() {
        List<Baseline> found = new ArrayList<>(List.of(new RawTcp(), new RawShm()));
        ServiceLoader.load(Baseline.class).forEach(found::add);
        return found;
    }

    /**
     * Finds one.
     *
     * @param name of it
     * @return the baseline
     * @throws IllegalArgumentException with a sentence that names those that are there
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
                        + ".");
    }
}
