package org.jbmi.demo;

import org.jbmi.tools.cli.CommandProvider;
import org.jbmi.tools.cli.ToolCommand;

import java.util.List;

/** The command of this module. */
public final class DemoCommands implements CommandProvider {
    @Override
    public List<ToolCommand> commandsOf(String program) {
        return program.equals("bmi") ? List.of(new DemoCommand()) : List.of();
    }
}
