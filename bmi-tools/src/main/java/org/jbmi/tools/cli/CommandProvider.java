package org.jbmi.tools.cli;

import java.util.List;

/**
 * Brings the commands of another module into the programs of this one. ServiceLoader finds it, so a
 * program has a command if its module is on the class path or module path.
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
