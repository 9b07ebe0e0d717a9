package org.jbmi.shipper.codec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the annotation processor writes, and what it refuses. */
class ProcessorTest {

    @TempDir private Path folder;

    @Test
    void theGeneratedSourceIsReadable() throws IOException {
        Compilation compilation =
                compile(
                        """
                        package demo;
                        import org.jbmi.shipper.codec.*;
                        import java.util.*;
                        @Shipped public record WriteIn(long file, List<String> names, BulkHandle data) {}
                        """);
        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("demo/WriteInCodec.java"))
                .contains("public final class WriteInCodec implements Codec<WriteIn>")
                .contains("        out.putLong(value.file());\n")
                .contains(
                        "        List<String> names = Objects.requireNonNull(value.names(),"
                                + " \"component names of WriteIn\");\n")
                .contains("        for (String namesElement : names) {\n")
                .contains("        long file = in.getLong();\n")
                .contains("        return new WriteIn(file, names, data);\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    char letter                  | Component letter of record WriteIn: a char is half of some letters: use int or String.
                    int[] sizes                  | Component sizes of record WriteIn: of arrays only byte[] travels: use a List.
                    Integer size                 | Component size of record WriteIn: a Integer may be null: use int, or Optional<Integer>.
                    List sizes                   | Component sizes of record WriteIn: the type java.util.List does not say of what: name it in <>.
                    List<?> sizes                | Component sizes of record WriteIn: the type ? does not travel.
                    List<char[]> sizes           | Component sizes of record WriteIn: of arrays only byte[] travels: use a List.
                    Map<String,String> names     | Component names of record WriteIn: the type java.util.Map does not travel: allowed are int, long, short, byte, float, double, boolean, String, byte[], enums, List, Optional, BulkHandle and shipped records.
                    Plain plain                  | Component plain of record WriteIn: the record demo.WriteIn.Plain is not marked with @Shipped.
                    List<Empty> empties          | Component empties of record WriteIn: its elements are records without components, which take no room, so that a message could hold any number of them: use an int.
                    Secret secret                | Component secret of record WriteIn: the enum demo.WriteIn.Secret is private, or inside a private class.
                    Inner.Mode mode              | Component mode of record WriteIn: the enum demo.WriteIn.Inner.Mode is private, or inside a private class.
                    Optional<WriteIn> next       | Component next of record WriteIn: the record demo.WriteIn would contain itself, at any depth: use a List of parts that refer to each other by number.
                    """)
    void eachErrorNamesItsComponent(String component, String error) throws IOException {
        Compilation compilation =
                compile(
                        """
                        package demo;
                        import org.jbmi.shipper.codec.*;
                        import java.util.*;
                        @Shipped public record WriteIn(
                            long file,
                            %s) {
                          public record Plain(int value) {}
                          @Shipped public record Empty() {}
                          private enum Secret { A }
                          private static class Inner {
                            enum Mode { A }
                          }
                        }
                        """
                                .formatted(component));
        assertThat(compilation.errors()).contains("line 6: " + error);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Color COLOR_1",
                "List<Color> COLOR_1, Color other",
                "int Optional, Optional<String> x",
                "int ArrayList, int Collections, List<String> Objects",
                "List<String> Objects, List<String> names",
                "int List, int String, String text, byte[] bytes",
                "int WriteIn_InnerCodec, int demo, Inner inner",
                "int BulkHandle, BulkHandle data, int WriteInCodec, int WriteIn",
            })
    void aComponentMayHaveTheNameOfWhatItsCodecUses(String components) throws IOException {
        Compilation compilation =
                compile(
                        """
                        package demo;
                        import org.jbmi.shipper.codec.*;
                        import java.util.*;
                        @Shipped public record WriteIn(%s) {
                          public enum Color { RED, GREEN }
                          @Shipped public record Inner(int value) {}
                        }
                        """
                                .formatted(components));
        assertThat(compilation.errors()).isEmpty();
    }

    @Test
    void aSignatureThatNoConstantHoldsIsAnErrorAtItsRecord() throws IOException {
        String constants =
                IntStream.range(0, 1_000)
                        .mapToObj(i -> "A".repeat(65) + i)
                        .collect(Collectors.joining(", "));
        Compilation compilation =
                compile(
                        """
                        package demo;
                        import org.jbmi.shipper.codec.*;
                        @Shipped public record WriteIn(Large large) {
                          public enum Large { %s }
                        }
                        """
                                .formatted(constants));
        assertThat(compilation.errors())
                .singleElement()
                .asString()
                .startsWith("line 3: The record demo.WriteIn has a signature of 68")
                .endsWith("at most 65535: give it fewer or shorter names.");
    }

    /** Each record holds the one before twice: the last one has 2^26 numbers. */
    @Test
    @Timeout(60)
    void aRecordThatIsTooLargeIsFoundBeforeAllIsRead() throws IOException {
        String records =
                IntStream.rangeClosed(1, 26)
                        .mapToObj(
                                i ->
                                        "@Shipped record R%1$d(R%2$d a, R%2$d b) {}%n"
                                                .formatted(i, i - 1))
                        .collect(Collectors.joining());
        Compilation compilation =
                compile(
                        """
                        package demo;
                        import org.jbmi.shipper.codec.*;
                        class WriteIn {
                        @Shipped record R0(int a) {}
                        %s }
                        """
                                .formatted(records));
        assertThat(compilation.errors())
                .first()
                .asString()
                .contains("has a signature of")
                .endsWith("at most 65535: give it fewer or shorter names.");
    }

    @Test
    void aPackageMayHaveATypeWithTheNameOfOneOfJavaLang() throws IOException {
        Compilation compilation =
                compile(
                        """
                        package demo;
                        import org.jbmi.shipper.codec.*;
                        import java.util.*;
                        @Shipped public record WriteIn(
                            java.lang.String name, List<java.lang.Integer> sizes) {}
                        class String {}
                        class Integer {}
                        class Override {}
                        """);
        assertThat(compilation.errors()).isEmpty();
    }

    @Test
    void aTypeThatOnlyTheRecordMayUseIsAnErrorAtItsComponent() throws IOException {
        Compilation compilation =
                Compilation.of(
                        folder,
                        Map.of(
                                "base.Base",
                                "package base; public class Base { protected enum Kind { A } }",
                                "demo.Outer",
                                """
                                package demo;
                                import org.jbmi.shipper.codec.*;
                                public class Outer extends base.Base {
                                  @Shipped public record WriteIn(Kind kind) {}
                                }
                                """));
        assertThat(compilation.errors())
                .containsExactly(
                        "line 4: Component kind of record WriteIn: the type base.Base.Kind is not"
                                + " public, and is in another package: the codec could not use"
                                + " it.");
    }

    @Test
    void onlyVisibleRecordsWithoutTypeParametersTravel() throws IOException {
        assertThat(
                        compile("package demo; @org.jbmi.shipper.codec.Shipped class WriteIn {}")
                                .errors())
                .anyMatch(line -> line.contains("demo.WriteIn is none: make it a record"));
        assertThat(
                        compile(
                                        "package demo; @org.jbmi.shipper.codec.Shipped record"
                                                + " WriteIn<T>(T t) {}")
                                .errors())
                .anyMatch(line -> line.contains("has type parameters"));
        assertThat(
                        compile(
                                        "package demo; class WriteIn {"
                                            + " @org.jbmi.shipper.codec.Shipped private record In()"
                                            + " {} }")
                                .errors())
                .anyMatch(line -> line.contains("is private"));
    }

    private Compilation compile(String source) throws IOException {
        return Compilation.of(folder, Map.of("demo.WriteIn", source));
    }
}
