package org.jbmi.architecture;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Reads what a module offers on the class path. */
final class ServiceFiles {
    private static final String SERVICES = "META-INF/services";

    private ServiceFiles() {}

    /** The providers of each service, by the names of its files. */
    static Map<String, Set<String>> of(House module) throws IOException {
        Path classes = module.classes();
        if (Files.isDirectory(classes)) {
            return in(classes);
        }
        try (FileSystem jar = FileSystems.newFileSystem(classes)) {
            return in(jar.getPath("/"));
        }
    }

    private static Map<String, Set<String>> in(Path classes) throws IOException {
        Map<String, Set<String>> services = new TreeMap<>();
        Path folder = classes.resolve(SERVICES);
        if (!Files.isDirectory(folder)) {
            return services;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Set<String> providers = new TreeSet<>();
                Files.readAllLines(file).stream()
                        .map(line -> line.replaceFirst("#.*", "").strip())
                        .filter(line -> !line.isEmpty())
                        .forEach(providers::add);
                services.put(file.getFileName().toString(), providers);
            }
        }
        return services;
    }
}
