package org.jbmi.tools.zbmi;

import org.jbmi.config.Configuration;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A command that uses the daemon of a runtime directory. */
abstract class DaemonCommand extends ToolCommand {
    @Option(
            names = "--runtime-directory",
            paramLabel = "DIR",
            description =
                    "Where the daemon and its peers meet; default: the knob zoid.runtimeDirectory.")
    private @Nullable Path runtimeDirectory;

    DaemonCommand() {}

    /** The knobs that the option sets: one or none. */
    final Map<String, String> runtimeKnob() {
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
}
