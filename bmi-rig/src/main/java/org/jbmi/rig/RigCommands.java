package org.jbmi.rig;

import org.jbmi.rig.conform.ConformCommand;
import org.jbmi.rig.golden.GoldenCommand;
import org.jbmi.rig.perf.command.PerfCommand;
import org.jbmi.rig.simulate.SimulateCommand;
import org.jbmi.tools.cli.CommandProvider;
import org.jbmi.tools.cli.ToolCommand;

import java.util.List;

/** The commands of this module. */
public final class RigCommands implements CommandProvider {
    @Override
    public List<ToolCommand> commandsOf(String program) {
        return switch (program) {
            case "bmi" ->
                    List.of(
                            new ConformCommand(),
                            new GoldenCommand(),
                            new PerfCommand(),
                            new SimulateCommand());
            case "zoidfs" -> List.of(new org.jbmi.rig.zoidfs.PerfCommand());
            default -> List.of();
        };
    }
}
