package org.jbmi.tools.info;

import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zbmi.daemon.DaemonKnobs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** The command {@code bmi info}. */
@Command(
        name = "info",
        versionProvider = ToolVersion.class,
        description = {
            "Shows the methods, whether they can be used here, their limits, which process serves"
                    + " zoid now, and every knob except those of the shipper.",
            ""
        })
public final class InfoCommand extends ToolCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(names = "--reference", hidden = true, description = "Print the page of knobs.")
    private boolean reference;

    @Override
    public Integer call() {
        Inventory inventory = Inventory.take(DaemonKnobs.all());
        PrintWriter out = spec().commandLine().getOut();
        if (reference) {
            out.print(KnobsPage.of(inventory));
        } else if (json) {
            out.println(InventoryJson.of(inventory));
        } else {
            InventoryText.of(inventory).forEach(out::println);
        }
        out.flush();
        return 0;
    }
}
