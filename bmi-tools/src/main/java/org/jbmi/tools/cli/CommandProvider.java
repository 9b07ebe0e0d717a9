package org.jbmi.tools.cli;

import java.util.List;

/**
 * Brings the commands of another module into the programs of this one. Found by the service loader,
 * so that a command is there exactly when its module is on the class path or module path.
 */
public interface CommandProvider {
    /**
     * Makes the commands that it adds to a program.
     *
     * @param program its name: {@code bmi}, {@code zbmi}, {@code zoid} or {@code zoidfs}
     * @return new commands, perhaps none
     */
    List<ToolCommand> commandsOf(String program);
}
