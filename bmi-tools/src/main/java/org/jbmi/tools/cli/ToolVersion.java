package org.jbmi.tools.cli;

import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The version that the build has recorded. */
public final class ToolVersion implements IVersionProvider {
    private static final String RESOURCE = "version.txt";

    @Spec private CommandSpec spec;

    @Override
    public String[] getVersion() throws IOException {
        String program = spec.root().name();
        Runtime.Version java = Runtime.version();
        return new String[] {program + " " + version() + " on Java " + java.feature()};
    }

    /**
     * The version of the project.
     *
     * @return for example {@code "1.2.0"}
     * @throws IOException if the jar does not have it
     */
    public static String version() throws IOException {
        try (InputStream in = ToolVersion.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IOException("The file " + RESOURCE + " is missing in the program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }
}
