package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.shipper.processor.ShippedProcessor;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.processor.plugin.PluginProcessor;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The plug-in of the how-to, compiled from that page, works over each method. */
class HowtoTest {
    private static final Pattern BLOCK = Pattern.compile("```(\\w*)\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("(?:interface|class) (\\w+)");

    @TempDir Path folder;

    @ParameterizedTest
    @FieldSource("org.jbmi.zoid.plugins.Server#METHODS")
    void thePluginOfThePageWorks(String method) throws Exception {
        String page = Files.readString(Path.of("..", "docs", "howto", "zoid-plugin.md"));
        Path classes = compile(page);
        ZoidSettings settings = ZoidSettings.defaults().withModules(List.of("store"));
        try (URLClassLoader loader =
                        new URLClassLoader(
                                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
                Server server =
                        Server.of(
                                method,
                                settings,
                                ServiceLoader.load(PluginProvider.class, loader))) {
            Method use = loader.loadClass("demo.Client").getDeclaredMethod("use", Zoid.class);
            use.setAccessible(true);
            String printed = (String) use.invoke(null, server.client());
            assertThat(page).contains("The client prints `" + printed + "`.");
        }
    }

    private Path compile(String page) throws Exception {
        Path classes = folder.resolve("classes");
        Path services = classes.resolve("META-INF/services");
        Files.createDirectories(services);
        List<Path> sources = new ArrayList<>();
        for (MatchResult block : BLOCK.matcher(page).results().toList()) {
            String text = block.group(2);
            if (block.group(1).equals("java") && text.startsWith("package demo;")) {
                Matcher type = TYPE.matcher(text);
                assertThat(type.find()).isTrue();
                Path file = folder.resolve(type.group(1) + ".java");
                Files.writeString(file, text);
                sources.add(file);
            } else if (text.equals("demo.StoreProvider\n")) {
                Files.writeString(services.resolve(PluginProvider.class.getName()), text);
            }
        }
        assertThat(sources).hasSize(4);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter words = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavaCompiler.CompilationTask task =
                    compiler.getTask(
                            words,
                            files,
                            null,
                            List.of(
                                    "-d",
                                    classes.toString(),
                                    "-cp",
                                    System.getProperty("java.class.path")),
                            null,
                            files.getJavaFileObjectsFromPaths(sources));
            task.setProcessors(List.of(new ShippedProcessor(), new PluginProcessor()));
            assertThat(task.call()).as("%s", words).isTrue();
        }
        return classes;
    }
}
