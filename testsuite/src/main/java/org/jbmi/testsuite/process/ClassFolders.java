package org.jbmi.testsuite.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The folders of the class path. Unlike a jar, a folder is opened anew for each class. */
final class ClassFolders {
    private static final String SUFFIX = ".class";

    private ClassFolders() {}

    /** Loads every class that lies in a folder; returns how many there are. */
    static String loadAll() {
        int count = 0;
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path folder = Path.of(entry);
            if (Files.isDirectory(folder)) {
                for (Path file : classFiles(folder)) {
                    count += load(folder.relativize(file).toString()) ? 1 : 0;
                }
            }
        }
        return Integer.toString(count);
    }

    private static List<Path> classFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean load(String file) {
        String name = file.substring(0, file.length() - SUFFIX.length()).replace('/', '.');
        try {
            Class.forName(name, false, ClassFolders.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            // One that needs what is not here is not needed either.
            return false;
        }
    }
}
