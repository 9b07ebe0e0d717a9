package org.jbmi.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration.Setting;
import org.jbmi.config.Configuration.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

/** Knobs: where a value comes from, how its text is read, and what is refused. */
@Timeout(30)
class ConfigurationTest {
    private static final Knob<Long> BYTES = Knob.bytes("part.poolBytes", 64, 16, 1L << 40, "Help.");
    private static final Knob<Long> COUNT = Knob.number("part.count", "", 3, -5, 9, "Help.");
    private static final Knob<Boolean> FLAG = Knob.flag("part.flag", true, "Help.");
    private static final Knob<String> TEXT = Knob.text("part.text", () -> "dflt", "Help.");
    private static final Knob<String> CHOICE =
            Knob.choice("part.choice", List.of("one", "two"), "Help.");
    private static final List<Knob<?>> ALL = List.of(BYTES, COUNT, FLAG, TEXT, CHOICE);

    private static Configuration given(Map<String, String> given) {
        return Configuration.resolve(ALL, given, name -> null, name -> null);
    }

    private static void assertRefused(Runnable call, String... words) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        BmiException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.EINVAL);
                            assertThat(e.getMessage()).contains(words);
                        });
    }

    @Test
    void aPathIsNotEmpty() {
        Knob<String> path = Knob.path("part.path", () -> "/dflt", "Help.");
        assertThat(path.parse(" /a b ", "the program")).isEqualTo("/a b");
        assertRefused(
                () -> path.parse(" ", "the program"), "part.path", "a path, which is not empty");
    }

    @Test
    void defaults() {
        Configuration configuration = given(Map.of());
        assertThat(configuration.get(BYTES)).isEqualTo(64);
        assertThat(configuration.get(COUNT)).isEqualTo(3);
        assertThat(configuration.get(FLAG)).isTrue();
        assertThat(configuration.get(TEXT)).isEqualTo("dflt");
        assertThat(configuration.get(CHOICE)).isEqualTo("one");
        assertThat(configuration.settings())
                .extracting(Setting::knob)
                .containsExactlyElementsOf(ALL);
        assertThat(configuration.settings())
                .extracting(Setting::source)
                .containsOnly(Source.DEFAULT);
    }

    @Test
    void builderWinsOverPropertyOverEnvironmentOverDefault() {
        Map<String, String> properties = Map.of("jbmi.part.count", "1", "jbmi.part.flag", "off");
        Map<String, String> environment =
                Map.of("JBMI_PART_COUNT", "2", "JBMI_PART_FLAG", "on", "JBMI_PART_TEXT", "env");
        Configuration configuration =
                Configuration.resolve(
                        ALL, Map.of("part.count", "0"), properties::get, environment::get);
        assertThat(configuration.get(COUNT)).isZero();
        assertThat(configuration.get(FLAG)).isFalse();
        assertThat(configuration.get(TEXT)).isEqualTo("env");
        assertThat(configuration.settings())
                .extracting(Setting::source)
                .containsExactly(
                        Source.DEFAULT,
                        Source.BUILDER,
                        Source.PROPERTY,
                        Source.ENVIRONMENT,
                        Source.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({
        "bmi.maxContexts, JBMI_BMI_MAX_CONTEXTS",
        "zoid.eagerBytes, JBMI_ZOID_EAGER_BYTES",
        "part.p2pPort, JBMI_PART_P2P_PORT",
        "part.x, JBMI_PART_X"
    })
    void environmentNamesAreWords(String name, String environment) {
        Knob<Boolean> knob = Knob.flag(name, true, "Help.");
        assertThat(knob.environmentName()).isEqualTo(environment);
        assertThat(knob.propertyName()).isEqualTo("jbmi." + name);
    }

    @ParameterizedTest
    @CsvSource({
        "16, 16",
        "1k, 1024",
        "1K, 1024",
        "' 7m ', 7340032",
        "3g, 3221225472",
        "1024g, 1099511627776"
    })
    void bytesMayEndInAPowerOf1024(String text, long bytes) {
        assertThat(given(Map.of("part.poolBytes", text)).get(BYTES)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "k",
                "15",
                "0",
                "-1k",
                "1kk",
                "1.5k",
                "1025g",
                "9000000000g",
                "x",
                "1 k"
            })
    void otherBytesAreRefused(String text) {
        assertRefused(
                () -> given(Map.of("part.poolBytes", text)),
                "part.poolBytes",
                "the program",
                "\"" + text + "\"",
                "a whole number from 16 to 1099511627776 bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-6", "10", "1k", "", "3.0", "99999999999999999999"})
    void numbersHaveBoundsAndNoSuffix(String text) {
        assertRefused(() -> given(Map.of("part.count", text)), "from -5 to 9");
    }

    @Test
    void boundsAreAllowed() {
        assertThat(given(Map.of("part.count", "-5")).get(COUNT)).isEqualTo(-5);
        assertThat(given(Map.of("part.count", "9")).get(COUNT)).isEqualTo(9);
    }

    @ParameterizedTest
    @CsvSource({
        "true, true",
        "ON, true",
        "yes, true",
        "1, true",
        "false, false",
        "Off, false",
        "no, false",
        "0, false"
    })
    void flagsAreWords(String text, boolean value) {
        assertThat(given(Map.of("part.flag", text)).get(FLAG)).isEqualTo(value);
    }

    @Test
    void otherWordsAreRefused() {
        assertRefused(() -> given(Map.of("part.flag", "maybe")), "part.flag", "true or false");
        assertRefused(() -> given(Map.of("part.choice", "three")), "one of one, two");
        assertThat(given(Map.of("part.choice", "two")).get(CHOICE)).isEqualTo("two");
        assertThat(given(Map.of("part.text", " a b ")).get(TEXT)).isEqualTo("a b");
    }

    @Test
    void theMessageNamesWhereTheValueCameFrom() {
        assertRefused(
                () ->
                        Configuration.resolve(
                                ALL, Map.of(), Map.of("jbmi.part.count", "x")::get, n -> null),
                "the system property jbmi.part.count");
        assertRefused(
                () ->
                        Configuration.resolve(
                                ALL, Map.of(), n -> null, Map.of("JBMI_PART_COUNT", "x")::get),
                "the environment variable JBMI_PART_COUNT");
    }

    @Test
    void unknownNamesAreRefusedWithTheKnownOnes() {
        assertRefused(
                () -> given(Map.of("part.cuont", "1")),
                "\"part.cuont\"",
                "part.poolBytes, part.count, part.flag, part.text, part.choice");
        Knob<Boolean> foreign = Knob.flag("foreign", true, "Help.");
        assertRefused(() -> given(Map.of()).get(foreign), "foreign");
    }

    @Test
    void aNameIsDeclaredOnce() {
        List<Knob<?>> twice = List.of(COUNT, Knob.flag("part.count", true, "Help."));
        assertRefused(
                () -> Configuration.resolve(twice, Map.of(), n -> null, n -> null),
                "declared twice");
    }

    @Test
    void settingsAreACopy() {
        Configuration configuration = given(Map.of());
        configuration.settings().clear();
        assertThat(configuration.settings()).hasSize(5);
    }

    @Test
    void anInstanceKnowsItsOwnKnobsAndThoseOfAllMethods() {
        try (Bmi bmi = Bmi.builder().knob("bmi.maxContexts", "2").open()) {
            Map<String, Source> sources =
                    bmi.configuration().settings().stream()
                            .collect(
                                    java.util.stream.Collectors.toMap(
                                            s -> s.knob().name(), Setting::source));
            assertThat(sources)
                    .containsEntry("bmi.maxContexts", Source.BUILDER)
                    .containsEntry("bmi.maxOperations", Source.DEFAULT)
                    .containsKeys("test.answer", "word.answer", "local.answer");
        }
    }
}
