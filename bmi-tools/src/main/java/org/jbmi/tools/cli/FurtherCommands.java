package org.jbmi.tools.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;

/**
 * The commands of other modules. A list says which module has which command. The message about a
 * missing command uses it, and so do the launchers, which look up the module that a command needs.
 */
public final class FurtherCommands {
    private static final String RESOURCE = "further-commands.txt";

    /**
     * A command of another module.
     *
     * @param program that has it
     * @param name of the command
     * @param module that brings it
     */
    public record Entry(String program, String name, String module) {}

    private FurtherCommands() {}

    /**
     * Adds the commands of the modules at hand, and for each missing one a command that names its
     * module.
     */
    static void addTo(CommandLine program) {
        String name = program.getCommandName();
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
            provider.commandsOf(name).forEach(program::addSubcommand);
        }
        for (Entry entry : list()) {
            if (entry.program.equals(name) && !program.getSubcommands().containsKey(entry.name)) {
                CommandLine missing =
                        new CommandLine(new Missing(entry.module))
                                .setUnmatchedArgumentsAllowed(true);
                missing.getCommandSpec()
                        .usageMessage()
                        .description("Is in the module " + entry.module + ".");
                program.addSubcommand(entry.name, missing);
            }
        }
    }

    /** {@return all commands of other modules, present or not} */
    public static List<Entry> list() {
        try (InputStream in = FurtherCommands.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IOException("The file " + RESOURCE + " is missing in the program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split(" "))
                    .map(words -> new Entry(words[0], words[1], words[2]))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stands for a command whose module is missing. */
    @Command(versionProvider = ToolVersion.class)
    static final class Missing extends ToolCommand implements Callable<Integer> {
        private final String module;

        Missing(String module) {
            this.module = module;
        }

        @Override
        public Integer call() throws ToolException {
            throw new ToolException(
                    "This command is in the module " + module + ", which is not on the class path");
        }
    }
}
