package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.processor.scan.Scanner;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The interfaces of the plug-ins are what the scanner makes of their headers. */
class HeadersTest {
    @ParameterizedTest
    @ValueSource(strings = {"unix", "mapping", "barrier", "test", "zoidfs"})
    void theInterfaceIsThatOfTheHeader(String name) throws Exception {
        Path main = Path.of("src", "main");
        String header = Files.readString(main.resolve("zoid").resolve(name + ".h"));
        String type = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        Path folder = main.resolve("java/org/jbmi/zoid/plugins").resolve(name);
        Scanner.Result result =
                Scanner.scan(
                        header, new Scanner.Options(name + ".h", "org.jbmi.zoid.plugins." + name));
        assertThat(result.problems()).isEmpty();
        assertThat(words(result.source()))
                .isEqualTo(words(Files.readString(folder.resolve(type + ".java"))));
    }

    /** Without what the formatter changes. */
    private static String words(String source) {
        return source.replaceAll("[/*\\s]", "");
    }
}
