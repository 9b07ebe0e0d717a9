package org.jbmi.zoid.forward;

import java.util.List;

/**
 * The description of a job, which a plug-in gets before its first process starts.
 *
 * @param processCount how many processes of the job this server serves; helpers that are no
 *     processes of the job, such as mounts, are not among them
 * @param executable the name of the program
 * @param arguments its arguments, without the name
 * @param environment its environment variables, each as {@code NAME=value}
 */
public record JobDescription(
        int processCount, String executable, List<String> arguments, List<String> environment) {
    /** Keeps copies of the lists. */
    public JobDescription {
        arguments = List.copyOf(arguments);
        environment = List.copyOf(environment);
    }
}
