package org.jbmi.testsuite.support;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The classes of all jars of the class path as the JDK keeps them in memory, in a file. A JVM that
 * maps it starts with half the work. The property {@value #PROPERTY} names the file; without it
 * there is no archive. The first test that starts a JVM makes it, by a run of {@link
 * ArchiveTraining}.
 *
 * <p>The JDK takes no folders into an archive, and uses one where its class path is how the path of
 * the process begins. So the folders come last in the path of a child.
 */
final class ClassArchive {
    static final String PROPERTY = "jbmi.childArchive";

    private static final long MOST_SECONDS = 60;
    // No message, neither that an archive does not fit nor what of a class it cannot hold.
    private static final List<String> SILENCE =
            List.of("-Xlog:disable", "-Xlog:all=error,aot*=off,cds*=off:stderr");

    // At the address that it was made for, the archive needs no change of its pointers.
    private static final List<String> UNMOVED =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0");

    private ClassArchive() {}

    /**
     * The options that let a JVM use the archive; it is made first where it is missing or old.
     *
     * @param flags the program {@code java}, and the options of all children
     * @return none if there is to be no archive, or if another process is about to make it
     */
    static synchronized List<String> options(List<String> flags) {
        String property = System.getProperty(PROPERTY, "");
        if (property.isEmpty()) {
            return List.of();
        }
        Path archive = Path.of(property);
        if (!isThere(archive, flags)) {
            return List.of();
        }
        List<String> options = new ArrayList<>(List.of("-XX:SharedArchiveFile=" + archive));
        options.addAll(UNMOVED);
        options.addAll(SILENCE);
        return options;
    }

    static String wholePath() {
        return System.getProperty("java.class.path");
    }

    static String jarsFirst() {
        List<String> path = new ArrayList<>(entries(entry -> !Files.isDirectory(entry)));
        path.addAll(entries(Files::isDirectory));
        return String.join(File.pathSeparator, path);
    }

    private static List<String> entries(Predicate<Path> which) {
        return Stream.of(wholePath().split(File.pathSeparator))
                .filter(entry -> which.test(Path.of(entry)))
                .toList();
    }

    private static boolean isThere(Path archive, List<String> flags) {
        Path lock = archive.resolveSibling(archive.getFileName() + ".lock");
        try {
            List<String> jars = entries(entry -> !Files.isDirectory(entry));
            if (isFresh(archive, jars)) {
                return true;
            }
            try (FileChannel channel =
                            FileChannel.open(
                                    lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    @Nullable FileLock held = channel.tryLock()) {
                if (held == null) {
                    return false;
                }
                if (!isFresh(archive, jars)) {
                    make(archive, flags, String.join(File.pathSeparator, jars));
                }
                return true;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isFresh(Path archive, List<String> jars) throws IOException {
        if (!Files.exists(archive)) {
            return false;
        }
        FileTime made = Files.getLastModifiedTime(archive);
        for (String jar : jars) {
            if (Files.getLastModifiedTime(Path.of(jar)).compareTo(made) > 0) {
                return false;
            }
        }
        return true;
    }

    /** Without success the file is empty: the JDK does not use it, and nobody tries again. */
    private static void make(Path archive, List<String> flags, String jars) throws IOException {
        Path made = archive.resolveSibling(archive.getFileName() + ".new");
        Files.deleteIfExists(made);
        List<String> command = new ArrayList<>(flags);
        command.addAll(SILENCE);
        command.add("-XX:ArchiveClassesAtExit=" + made);
        command.addAll(List.of("-cp", jars, ArchiveTraining.class.getName()));
        Process process =
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            boolean isDone =
                    process.waitFor(MOST_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
            if (!isDone || !Files.exists(made)) {
                Files.deleteIfExists(made);
                Files.createFile(made);
            }
            Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
