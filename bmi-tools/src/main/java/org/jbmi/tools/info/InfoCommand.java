package org.jbmi.tools.info;

import org.jbmi.config.Knob;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;

/** The command {@code bmi info}. */
@Command(
        name = "info",
        versionProvider = ToolVersion.class,
        description = {
            "Shows the methods, whether they can be used here, their limits, and every knob.",
            ""
        })
public final class InfoCommand extends ToolCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** For picocli. */
    public InfoCommand() {}

    @Override
    public Integer call() {
        Inventory inventory = Inventory.take(daemonKnobs());
        PrintWriter out = spec().commandLine().getOut();
        if (json) {
            out.println(InventoryJson.of(inventory));
        } else {
            InventoryText.of(inventory).forEach(out::println);
        }
        out.flush();
        return 0;
    }

    private static List<Knob<?>> daemonKnobs() {
        return List.of();
    }
}
