package org.jbmi.demo.worker;

import org.jbmi.tools.cli.Assignments;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The arguments of a worker.
 *
 * @param role its part of the demo, see {@link DemoWorkerMain}
 * @param address the server's address
 * @param temporaries the demo's directories, which are removed at its end; the first one is for
 *     files
 * @param file the file to copy
 * @param sizeBytes how many of its bytes
 * @param chunkBytes size of a chunk
 * @param depth how many chunks of one file are under way on each side
 * @param knobs knobs of the worker
 */
public record WorkerSettings(
        String role,
        String address,
        List<Path> temporaries,
        Path file,
        long sizeBytes,
        int chunkBytes,
        int depth,
        Map<String, String> knobs) {
    private static final int FIXED = 7;

    /** The folder of the server's files. */
    public Path storage() {
        return temporaries.getFirst().resolve("files");
    }

    /**
     * {@return the settings as arguments of a process: the values, with the number of directories
     * in place of these; the directories; {@code name=value} for each knob}
     */
    public List<String> toArguments() {
        List<String> arguments = new ArrayList<>();
        arguments.add(role);
        arguments.add(address);
        arguments.add(Integer.toString(temporaries.size()));
        arguments.add(file.toString());
        arguments.add(Long.toString(sizeBytes));
        arguments.add(Integer.toString(chunkBytes));
        arguments.add(Integer.toString(depth));
        temporaries.forEach(directory -> arguments.add(directory.toString()));
        knobs.forEach((name, value) -> arguments.add(name + "=" + value));
        return arguments;
    }

    /**
     * Reads the arguments of a process.
     *
     * @param arguments what {@link #toArguments} gave
     * @throws IllegalArgumentException if they are anything else
     */
    public static WorkerSettings parse(List<String> arguments) {
        if (arguments.size() < FIXED) {
            throw new IllegalArgumentException("A worker needs " + FIXED + " arguments or more.");
        }
        int end = FIXED + Integer.parseInt(arguments.get(2));
        Map<String, String> knobs =
                Assignments.parse(
                        "A worker",
                        arguments.subList(end, arguments.size()),
                        IllegalArgumentException::new);
        return new WorkerSettings(
                arguments.get(0),
                arguments.get(1),
                arguments.subList(FIXED, end).stream().map(Path::of).toList(),
                Path.of(arguments.get(3)),
                Long.parseLong(arguments.get(4)),
                Integer.parseInt(arguments.get(5)),
                Integer.parseInt(arguments.get(6)),
                knobs);
    }
}
