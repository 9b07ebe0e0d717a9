package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.client.Zoid;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
        Map<String, String> sources = new TreeMap<>();
        String provider = "";
        for (MatchResult block : BLOCK.matcher(page).results().toList()) {
            String text = block.group(2);
            if (block.group(1).equals("java") && text.startsWith("package demo;")) {
                Matcher type = TYPE.matcher(text);
                assertThat(type.find()).isTrue();
                sources.put(type.group(1), text);
            } else if (text.equals("demo.StoreProvider\n")) {
                provider = text.strip();
            }
        }
        assertThat(sources).hasSize(4);
        return PluginCode.compile(folder, sources, provider);
    }
}
