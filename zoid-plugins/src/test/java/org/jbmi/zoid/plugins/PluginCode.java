package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.shipper.processor.ShippedProcessor;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.processor.plugin.PluginProcessor;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Sources of a plug-in become classes, as a build does it. */
final class PluginCode {
    private PluginCode() {}

    /**
     * Compiles, with both annotation processors.
     *
     * @param folder where sources and classes go
     * @param sources by the names of their types
     * @param provider the class of the provider
     * @return the folder of the classes, with the file that names the provider
     */
    static Path compile(Path folder, Map<String, String> sources, String provider)
            throws IOException {
        Path classes = folder.resolve("classes");
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(services.resolve(PluginProvider.class.getName()), provider + "\n");
        List<Path> files = new ArrayList<>();
        for (Map.Entry<String, String> each : sources.entrySet()) {
            files.add(Files.writeString(folder.resolve(each.getKey() + ".java"), each.getValue()));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter words = new StringWriter();
        List<String> options =
                List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavaCompiler.CompilationTask task =
                    compiler.getTask(
                            words,
                            manager,
                            null,
                            options,
                            null,
                            manager.getJavaFileObjectsFromPaths(files));
            task.setProcessors(List.of(new ShippedProcessor(), new PluginProcessor()));
            assertThat(task.call()).as("%s", words).isTrue();
        }
        return classes;
    }
}
