package org.jbmi.tools.zoid;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.util.Map;

/** The option that says which server is meant. */
final class ServerOption {
    @Option(
            names = "--at",
            paramLabel = "ADDRESS",
            description =
                    "Where the server is. Default: the environment variable ZOID_ADDRESS, else"
                            + " zoid://.")
    private @Nullable String address;

    String address(Map<String, String> environment) {
        return address != null ? address : environment.getOrDefault("ZOID_ADDRESS", "zoid://");
    }
}
