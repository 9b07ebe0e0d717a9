package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.BmiMain;
import org.jbmi.tools.ZbmiMain;
import org.jbmi.tools.ZoidMain;
import org.jbmi.tools.ZoidfsMain;
import org.jbmi.tools.cli.CommandProvider;
import org.jbmi.tools.cli.FurtherCommands;
import org.jbmi.tools.cli.Program;
import org.jbmi.tools.cli.ToolCommand;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The page of commands shows the usage that the programs print. */
class CommandsPageTest {
    @Test
    void showsTheUsageOfEveryCommand() throws IOException {
        List<String> blocks = Documents.blocks(Documents.read("docs/commands.md"), "text");
        CommandLine bmi = Program.of(new BmiMain());
        CommandLine zbmi = Program.of(new ZbmiMain());
        CommandLine zoid = Program.of(new ZoidMain());
        CommandLine zoidfs = Program.of(new ZoidfsMain());
        assertThat(blocks)
                .containsExactly(
                        usage(bmi, "conform"),
                        usage(bmi, "demo"),
                        usage(bmi, "doctor"),
                        usage(bmi, "golden"),
                        usage(bmi, "info"),
                        usage(bmi, "ops"),
                        usage(bmi, "perf"),
                        usage(bmi, "ping"),
                        usage(bmi, "serve"),
                        usage(bmi, "simulate"),
                        usage(zbmi, "serve"),
                        usage(zbmi, "stat"),
                        usage(zbmi, "ops"),
                        usage(zbmi, "errors"),
                        usage(zbmi, "journal"),
                        usage(zbmi, "replay"),
                        usage(zoid, "serve"),
                        usage(zoid, "run"),
                        usage(zoid, "stat"),
                        usage(zoid, "modules"),
                        usage(zoid, "f2cn"),
                        usage(zoid, "tun"),
                        usage(zoid, "scan"),
                        usage(zoidfs, "serve"),
                        usage(zoidfs, "ls"),
                        usage(zoidfs, "cat"),
                        usage(zoidfs, "cp"),
                        usage(zoidfs, "stat"),
                        usage(zoidfs, "mount"),
                        usage(zoidfs, "perf"));
    }

    @Test
    void noCommandIsMissing() throws IOException {
        String page = Documents.read("docs/commands.md");
        for (String name : Program.of(new BmiMain()).getSubcommands().keySet()) {
            assertThat(page).contains("\n## bmi " + name + "\n");
        }
        for (String name : Program.of(new ZbmiMain()).getSubcommands().keySet()) {
            assertThat(page).contains("\n## zbmi " + name + "\n");
        }
        for (String name : Program.of(new ZoidMain()).getSubcommands().keySet()) {
            assertThat(page).contains("\n## zoid " + name + "\n");
        }
        for (String name : Program.of(new ZoidfsMain()).getSubcommands().keySet()) {
            assertThat(page).contains("\n## zoidfs " + name + "\n");
        }
    }

    private static String usage(CommandLine program, String command) {
        return program.getSubcommands().get(command).getUsageMessage(Ansi.OFF);
    }

    /** The launchers, and the message of a command that is not there, go by the list. */
    @Test
    void theListOfCommandsOfOtherModulesIsWhatTheyBring() {
        List<FurtherCommands.Entry> brought = new ArrayList<>();
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
            Path code =
                    Path.of(
                            provider.getClass()
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .getPath());
            String module = code.getParent().getParent().getFileName().toString();
            for (String program : List.of("bmi", "zbmi", "zoid", "zoidfs")) {
                for (ToolCommand command : provider.commandsOf(program)) {
                    String name = new CommandLine(command).getCommandName();
                    brought.add(new FurtherCommands.Entry(program, name, module));
                }
            }
        }
        assertThat(FurtherCommands.list()).containsExactlyInAnyOrderElementsOf(brought);
    }
}
