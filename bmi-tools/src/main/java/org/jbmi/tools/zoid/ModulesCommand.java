package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoid.daemon.ZoidAdmin;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** The command {@code zoid modules}. */
@Command(
        name = "modules",
        versionProvider = ToolVersion.class,
        description = {
            "Lists the plug-ins of a server; loads and unloads them while it runs.",
            "",
            "A server accepts changes if it was started with --live. With"
                    + " both --unload and --load it unloads first, which replaces a"
                    + " plug-in by another version.",
            ""
        })
public final class ModulesCommand extends ToolCommand implements Callable<Integer> {
    @Mixin private ServerOption server = new ServerOption();
    @Mixin private MethodKnobs knobs = new MethodKnobs();

    @Option(
            names = "--unload",
            paramLabel = "NAME",
            description =
                    "Unload this plug-in: running calls end first, new ones fail" + " with ENOSYS.")
    private @Nullable String unload;

    @Option(
            names = "--load",
            paramLabel = "NAME",
            description = "Load this plug-in and tell it of the present jobs and" + " processes.")
    private @Nullable String load;

    @Option(
            names = "--from",
            paramLabel = "JAR",
            description =
                    "A jar or a folder on the server that has the plug-in's classes; default: the"
                            + " server's class path.")
    private @Nullable Path from;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "A setting of the plug-in. May be given several times.")
    private List<String> settings = new ArrayList<>();

    @Override
    public Integer call() throws ToolException {
        check();
        try (Bmi bmi = knobs.open(this::wrongUse);
                ZoidAdmin admin = server.admin(bmi, this::wrongUse)) {
            ZoidAdmin.Plugins now = admin.plugins();
            if (unload != null) {
                now = succeeded(admin.unload(unload));
            }
            if (load != null) {
                String file = from == null ? "" : from.toAbsolutePath().normalize().toString();
                now = succeeded(admin.load(load, file, settings));
            }
            print(now);
        }
        return 0;
    }

    private void check() {
        if (load == null && (from != null || !settings.isEmpty())) {
            throw wrongUse("--from and --set are for --load");
        }
        for (String name : new String[] {load, unload}) {
            if (name != null && name.isBlank()) {
                throw wrongUse("--load and --unload need the name of a plug-in");
            }
        }
        Assignments.parse("--set", settings, this::wrongUse); // only to refuse wrong ones here
    }

    private static ZoidAdmin.Plugins succeeded(ZoidAdmin.Plugins now) throws ToolException {
        if (!now.trouble().isEmpty()) {
            throw new ToolException(now.trouble());
        }
        return now;
    }

    private void print(ZoidAdmin.Plugins now) {
        PrintWriter out = spec().commandLine().getOut();
        for (ZoidAdmin.Plugin plugin : now.loaded()) {
            out.printf(
                    "%5d  %-12s %3d functions%s%n",
                    plugin.number(),
                    plugin.name(),
                    plugin.functions(),
                    plugin.file().isEmpty() ? "" : "  from " + plugin.file());
        }
    }
}
