import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.JavaFormatterOptions.Style;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Formats the Java sources with google-java-format in its AOSP style, or checks that they are.
 *
 * <p>Run from source by bin/format and by the build: {@code FormatSources [--report FILE] PATH...}.
 * A path is a file or a folder to be searched. With --report nothing is changed: the sources that
 * are not formatted are printed and listed in FILE, which is removed when there are none; the build
 * then fails if the file exists. Exit 1 for a path that does not exist and, only without --report,
 * for a source that cannot be parsed, read or written.
 */
final class FormatSources {

    private final Formatter formatter =
            new Formatter(JavaFormatterOptions.builder().style(Style.AOSP).build());
    private final boolean rewrite;
    private final Queue<String> unformatted = new ConcurrentLinkedQueue<>();
    private final AtomicInteger broken = new AtomicInteger();

    private FormatSources(boolean rewrite) {
        this.rewrite = rewrite;
    }

    public static void main(String[] args) throws IOException {
        boolean report = args.length > 1 && args[0].equals("--report");
        List<Path> sources = new ArrayList<>();
        for (int i = report ? 2 : 0; i < args.length; i++) {
            collect(Path.of(args[i]), sources);
        }
        FormatSources run = new FormatSources(!report);
        sources.parallelStream().forEach(run::format);
        if (report) {
            run.report(Path.of(args[1]));
        } else {
            System.exit(run.broken.get() > 0 ? 1 : 0);
        }
    }

    private static void collect(Path root, List<Path> sources) throws IOException {
        if (!Files.exists(root)) {
            System.err.println(root + ": no such file or folder.");
            System.exit(1);
        }
        if (Files.isRegularFile(root) && !root.toString().endsWith(".java")) {
            System.err.println(root + ": is no Java source, and stays as it is.");
        }
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes a) {
                        String name = dir.normalize().getFileName().toString();
                        boolean skip =
                                !dir.equals(root)
                                        && (name.equals("target") || name.startsWith("."));
                        return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes a) {
                        if (file.toString().endsWith(".java")) {
                            sources.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    private void format(Path file) {
        try {
            String before = Files.readString(file);
            String after = formatter.formatSourceAndFixImports(before);
            if (after.equals(before)) {
                return;
            }
            System.out.println((rewrite ? "formatted: " : "not formatted: ") + file.normalize());
            if (rewrite) {
                Files.writeString(file, after);
            } else {
                unformatted.add(file.normalize().toString());
            }
        } catch (FormatterException e) {
            broken.incrementAndGet();
            unformatted.add(file.normalize().toString());
            System.err.println(file.normalize() + ": cannot be parsed: " + e.getMessage());
        } catch (IOException e) {
            broken.incrementAndGet();
            unformatted.add(file.normalize().toString());
            System.err.println(file.normalize() + ": cannot be formatted: " + e);
        }
    }

    private void report(Path list) throws IOException {
        if (unformatted.isEmpty()) {
            Files.deleteIfExists(list);
        } else {
            Files.write(list, unformatted);
        }
    }
}
