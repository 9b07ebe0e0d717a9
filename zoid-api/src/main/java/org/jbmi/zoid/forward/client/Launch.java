package org.jbmi.zoid.forward.client;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * The rank of this process, from the environment variables of its launcher.
 *
 * @param rank 0 and up; -1 if the process has none
 * @param size how many processes the job has; -1 if there is no rank
 * @param job which job, in the launcher's words; empty if there is no rank
 */
public record Launch(int rank, int size, String job) {
    /** Checks the values, because plug-ins and scripts rely on them. */
    public Launch {
        if (rank >= 0 && (size <= rank || job.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException(
                    "A rank is less than the size of its job, whose name has no NUL.");
        }
    }

    /** A process without a rank. */
    public static final Launch NONE = new Launch(-1, -1, "");

    private static final String STEP = "SLURM_STEP_ID";

    private static final List<Kind> KINDS =
            List.of(
                    new Kind("zoid", "ZOID_RANK", "ZOID_SIZE", "ZOID_JOB"),
                    new Kind(
                            "ompi",
                            "OMPI_COMM_WORLD_RANK",
                            "OMPI_COMM_WORLD_SIZE",
                            "PMIX_NAMESPACE"),
                    new Kind("pmix", "PMIX_RANK", "PMIX_SIZE", "PMIX_NAMESPACE"),
                    new Kind("pmi", "PMI_RANK", "PMI_SIZE", "PMI_JOBID"),
                    new Kind("slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID"));

    /** The variables of one kind of launcher. */
    private record Kind(String name, String rank, String size, String job) {}

    /**
     * Looks for the variables of {@code zoid run}, Open MPI, PMIx, PMI and Slurm, in this order. If
     * a launcher gives no size, as PMIx does, this method reads the size from Slurm's variables. A
     * batch script of Slurm has a number but no rank: only steps have ranks.
     *
     * @param environment the variables of the process
     * @return its rank, or {@link #NONE}
     */
    public static Launch of(Map<String, String> environment) {
        for (Kind kind : KINDS) {
            int rank = number(environment.get(kind.rank));
            int size = number(environment.get(kind.size));
            if (size < 0) {
                size = stepSize(environment);
            }
            if (rank >= 0 && size > rank) {
                String job = environment.getOrDefault(kind.job, "0");
                String step = environment.get(STEP);
                boolean steps = kind.name.equals("slurm") && step != null;
                String prefix = kind.name.equals("zoid") ? "" : kind.name + ":";
                return new Launch(rank, size, prefix + job + (steps ? "." + step : ""));
            }
        }
        return NONE;
    }

    private static int stepSize(Map<String, String> environment) {
        int size = number(environment.get("SLURM_STEP_NUM_TASKS"));
        return size < 0 && environment.containsKey(STEP)
                ? number(environment.get("SLURM_NTASKS")) // the variable of older versions
                : size;
    }

    private static int number(@Nullable String text) {
        return text != null && text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
    }
}
