package org.jbmi.tools.zbmi;

import org.jbmi.config.Configuration;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.host.place.HostInUse;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A command that uses the daemon of a runtime directory. */
public abstract class DaemonCommand extends ToolCommand {
    @Option(
            names = "--runtime-directory",
            paramLabel = "DIR",
            description =
                    "Where the daemon and its peers meet; default: the knob zoid.runtimeDirectory.")
    private @Nullable Path runtimeDirectory;

    /** For subclasses. */
    protected DaemonCommand() {}

    /** {@return the knobs that the option sets: one or none} */
    protected final Map<String, String> runtimeKnob() {
        Map<String, String> knobs = new LinkedHashMap<>();
        if (runtimeDirectory != null) {
            knobs.put(RuntimeDirectory.KNOB.name(), runtimeDirectory.toString());
        }
        return knobs;
    }

    /** The runtime directory of the command. */
    final RuntimeDirectory directory() {
        Configuration configuration = Configuration.resolve(DaemonKnobs.all(), runtimeKnob());
        return new RuntimeDirectory(Path.of(configuration.get(RuntimeDirectory.KNOB)));
    }

    /** Checks that a host of the engine runs, because the counters of a killed one say nothing. */
    static void checkAlive(RuntimeDirectory directory) throws ToolException {
        if (!HostInUse.isServed(directory)) {
            throw new ToolException(
                    "No zoid daemon or server is running in "
                            + directory.path()
                            + "; 'zbmi serve' starts a daemon.");
        }
    }
}
