package org.jbmi.shipper.codec;

import org.jbmi.shipper.processor.ShippedProcessor;

import java.io.IOException;
import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles sources with the processor, into a folder. */
public final class Compilation {
    private final Path folder;
    private final List<String> errors = new ArrayList<>();

    private Compilation(Path folder) {
        this.folder = folder;
    }

    public static Compilation of(Path folder, Map<String, String> sources) throws IOException {
        Compilation compilation = new Compilation(folder);
        compilation.run(sources);
        return compilation;
    }

    private void run(Map<String, String> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<JavaFileObject> files = new ArrayList<>();
        sources.forEach((name, text) -> files.add(new Source(name, text)));
        Files.createDirectories(folder);
        List<String> options =
                List.of(
                        "-d",
                        folder.toString(),
                        "-Xlint:all,-path,-processing,-options",
                        "-Werror",
                        "-cp",
                        System.getProperty("java.class.path"));
        JavaCompiler.CompilationTask task =
                compiler.getTask(new StringWriter(), null, found, options, null, files);
        task.setProcessors(List.of(new ShippedProcessor()));
        task.call();
        for (Diagnostic<? extends JavaFileObject> diagnostic : found.getDiagnostics()) {
            if (diagnostic.getKind() != Diagnostic.Kind.NOTE) {
                errors.add(
                        "line "
                                + diagnostic.getLineNumber()
                                + ": "
                                + diagnostic.getMessage(Locale.ROOT));
            }
        }
    }

    /** Errors and warnings, each with its line. */
    public List<String> errors() {
        return errors;
    }

    public String generated(String file) throws IOException {
        return Files.readString(folder.resolve(file));
    }

    public URLClassLoader load() throws MalformedURLException {
        return new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, Compilation.class.getClassLoader());
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
