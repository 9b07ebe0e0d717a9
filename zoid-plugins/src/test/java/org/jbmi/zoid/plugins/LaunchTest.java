package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoid.forward.client.Launch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashMap;
import java.util.Map;

/** Which rank a process has, by the variables of whoever has started it. */
class LaunchTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ZOID_RANK=2 ZOID_SIZE=4 ZOID_JOB=7.1                            | 2 | 4 | 7.1
                    OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 PMIX_RANK=1 PMIX_NAMESPACE=prte-h-12@1 | 1 | 3 | ompi:prte-h-12@1
                    OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1                   | 0 | 1 | ompi:0
                    PMIX_RANK=5 PMIX_SIZE=8 PMIX_NAMESPACE=ns                       | 5 | 8 | pmix:ns
                    PMIX_RANK=5 PMIX_NAMESPACE=slurm.pmix.9.0 SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=8 SLURM_STEP_ID=0 SLURM_JOB_ID=9 | 5 | 8 | pmix:slurm.pmix.9.0
                    PMI_RANK=3 PMI_SIZE=4 PMI_JOBID=kvs_1                           | 3 | 4 | pmi:kvs_1
                    SLURM_PROCID=6 SLURM_STEP_NUM_TASKS=7 SLURM_NTASKS=70 SLURM_JOB_ID=12 SLURM_STEP_ID=3 | 6 | 7 | slurm:12.3
                    SLURM_PROCID=6 SLURM_NTASKS=7 SLURM_JOB_ID=12 SLURM_STEP_ID=3   | 6 | 7 | slurm:12.3
                    ZOID_RANK=0 ZOID_SIZE=2 ZOID_JOB=a SLURM_PROCID=6 SLURM_STEP_NUM_TASKS=7 | 0 | 2 | a
                    """)
    void eachLauncherTellsRankSizeAndJob(String variables, int rank, int size, String job) {
        assertThat(Launch.of(environment(variables))).isEqualTo(new Launch(rank, size, job));
    }

    /** The second line is a batch script of Slurm, which belongs to no step. */
    @ParameterizedTest
    @CsvSource({
        "HOME=/",
        "SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=12",
        "ZOID_RANK=2",
        "ZOID_RANK=2 ZOID_SIZE=2 ZOID_JOB=a",
        "OMPI_COMM_WORLD_RANK=-1 OMPI_COMM_WORLD_SIZE=3",
        "PMI_RANK=x PMI_SIZE=3",
        "PMIX_RANK=4294967295 PMIX_SIZE=3"
    })
    void otherProcessesHaveNoRank(String variables) {
        assertThat(Launch.of(environment(variables))).isEqualTo(Launch.NONE);
    }

    @Test
    void aRankThatCannotBeIsRefused() {
        assertThatThrownBy(() -> new Launch(2, 2, "job"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("less than the size");
        assertThatThrownBy(() -> new Launch(0, 2, "a\0b"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Map<String, String> environment(String variables) {
        Map<String, String> environment = new HashMap<>();
        for (String each : variables.split(" ", -1)) {
            int equals = each.indexOf('=');
            environment.put(each.substring(0, equals), each.substring(equals + 1));
        }
        return environment;
    }
}
