package org.jbmi.rig.conform;

import org.jbmi.testsuite.CaseResult;
import org.jbmi.testsuite.CaseRunner;
import org.jbmi.testsuite.Catalogue;
import org.jbmi.testsuite.ConformanceCase;
import org.jbmi.testsuite.Exclusions;
import org.jbmi.testsuite.Fixtures;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** The command {@code bmi conform}. */
@Command(
        name = "conform",
        versionProvider = ToolVersion.class,
        description = {
            "Runs the conformance cases on a method, in each of its configurations.",
            "",
            "Methods are found on the class path, by their fixtures. Exit"
                    + " status 0 only if no case failed.",
            ""
        })
public final class ConformCommand extends ToolCommand implements Callable<Integer> {
    @Parameters(paramLabel = "METHOD", description = "The method, for example loopback.")
    private String method = "";

    @Option(
            names = "--config",
            paramLabel = "NAME",
            description = "Run in this configuration only; default: in all of them.")
    private @Nullable String config;

    @Option(
            names = "--case",
            paramLabel = "NUMBER",
            split = ",",
            description = "Run only these cases.")
    private Set<Integer> numbers = Set.of();

    @Option(names = "--json", description = "Print one JSON object for each configuration.")
    private boolean json;

    @Override
    public Integer call() {
        List<MethodFixture> fixtures = chosenFixtures();
        List<ConformanceCase> cases = chosenCases();
        boolean failed = false;
        for (MethodFixture fixture : fixtures) {
            failed |= run(fixture, cases);
        }
        return failed ? 1 : 0;
    }

    private List<MethodFixture> chosenFixtures() {
        List<MethodFixture> all = Fixtures.all();
        List<MethodFixture> ofMethod =
                all.stream().filter(fixture -> fixture.name().equals(method)).toList();
        if (ofMethod.isEmpty()) {
            throw wrongUse(
                    "There is no fixture of a method \""
                            + method
                            + "\"; there are "
                            + listed(all.stream().map(MethodFixture::name).toList()));
        }
        if (config == null) {
            return ofMethod;
        }
        List<MethodFixture> chosen =
                ofMethod.stream()
                        .filter(fixture -> fixture.configuration().equals(config))
                        .toList();
        if (chosen.isEmpty()) {
            throw wrongUse(
                    method
                            + " has no configuration \""
                            + config
                            + "\"; it has "
                            + listed(ofMethod.stream().map(MethodFixture::configuration).toList()));
        }
        return chosen;
    }

    private static String listed(List<String> names) {
        return names.isEmpty() ? "none" : String.join(", ", new TreeSet<>(names));
    }

    private List<ConformanceCase> chosenCases() {
        try {
            return numbers.isEmpty() ? Catalogue.all() : Catalogue.chosen(numbers);
        } catch (IllegalArgumentException e) {
            throw wrongUse(String.valueOf(e.getMessage()));
        }
    }

    /** Runs cases in one configuration; returns whether any failed. */
    private boolean run(MethodFixture fixture, List<ConformanceCase> cases) {
        PrintWriter out = spec().commandLine().getOut();
        PrintWriter err = spec().commandLine().getErr();
        CaseRunner runner = new CaseRunner(fixture, Exclusions.of(fixture));
        List<CaseResult> results = new ArrayList<>();
        for (ConformanceCase one : cases) {
            CaseResult result = runner.run(one);
            results.add(result);
            if (result.outcome() == CaseResult.Outcome.FAILED) {
                err.println(result);
                if (verboseAsked() && result.failure() != null) {
                    result.failure().printStackTrace(err);
                }
            }
        }
        ConformReport report = new ConformReport(fixture, results);
        (json ? List.of(report.json()) : report.table()).forEach(out::println);
        return report.count(ConformReport.Verdict.FAILED) > 0;
    }
}
