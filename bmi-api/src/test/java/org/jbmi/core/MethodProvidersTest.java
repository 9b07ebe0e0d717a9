package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.scripted.ScriptedProvider;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Methods of the program's own that are wrong: each is named in a sentence. */
@Timeout(30)
class MethodProvidersTest {
    private static final String SCHEME = "org.jbmi.test.scheme";

    @TempDir Path classes;

    /** Has the scheme that a property gives, and opens nothing. */
    public static class Idle implements MethodProvider {
        @Override
        public String scheme() {
            return System.getProperty(SCHEME, "idle");
        }

        @Override
        public Availability availability() {
            return Availability.AVAILABLE;
        }

        @Override
        public List<Knob<?>> knobs() {
            return List.of();
        }

        @Override
        public MethodLimits limits(Configuration configuration) {
            return new MethodLimits(1, 1, 0, 1);
        }

        @Override
        public @Nullable Method open(MethodHost host, List<String> listenAddresses) {
            return null;
        }
    }

    /** The same again. */
    public static final class Twin extends Idle {}

    /** Cannot be made. */
    public static final class Broken extends Idle {
        public Broken() {
            throw new IllegalStateException("played");
        }
    }

    /** Throws when the core asks it for its scheme. */
    public static final class WithoutScheme extends Idle {
        @Override
        public String scheme() {
            throw new IllegalStateException("played");
        }
    }

    /** Throws when the core asks it for its knobs. */
    public static final class WithoutKnobs extends Idle {
        @Override
        public List<Knob<?>> knobs() {
            throw new NoClassDefFoundError("played");
        }
    }

    /** Throws when the core asks it for its options. */
    public static final class WithoutOptions extends Idle {
        @Override
        public List<Option<?>> options() {
            throw new IllegalStateException("played");
        }
    }

    /** Does not say whether it is available. */
    public static final class WithoutAvailability extends Idle {
        @Override
        @SuppressWarnings("NullAway") // that is the fault
        public Availability availability() {
            return null;
        }
    }

    /** Opens a method that finds no address, and does not say so. */
    public static final class Blind extends Idle {
        private final MethodProvider sighted = new ScriptedProvider.Local();

        @Override
        public Method open(MethodHost host, List<String> listenAddresses) {
            Method real = sighted.open(host, listenAddresses);
            return (Method)
                    Proxy.newProxyInstance(
                            Blind.class.getClassLoader(),
                            new Class<?>[] {Method.class},
                            (self, call, arguments) ->
                                    call.getName().equals("lookup")
                                            ? null
                                            : call.invoke(real, arguments));
        }
    }

    /** Runs a call where further providers are declared. */
    private void with(String providers, ThrowingCallable call) throws Throwable {
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(services.resolve(MethodProvider.class.getName()), providers);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL[] more = {classes.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(more, getClass().getClassLoader())) {
            thread.setContextClassLoader(loader);
            call.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static void assertRefused(ThrowingCallable call, String... words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL))
                .hasMessageContainingAll(words);
    }

    private static void open() {
        Bmi.open().close();
    }

    private static void look() {
        try (Bmi bmi = Bmi.open()) {
            bmi.lookup("idle://x");
        }
    }

    @Test
    void twoOfOneSchemeAreRefusedByName() throws Throwable {
        String both = Idle.class.getName() + "\n" + Twin.class.getName();
        with(both, () -> assertRefused(MethodProvidersTest::open, "$Idle", "$Twin", "\"idle\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "MIN", "min-i", "a:b", "9p", "a b"})
    void aSchemeThatNoAddressCanHaveIsRefused(String scheme) throws Throwable {
        System.setProperty(SCHEME, scheme);
        try {
            with(
                    Idle.class.getName(),
                    () -> assertRefused(MethodProvidersTest::open, "$Idle", '"' + scheme + '"'));
        } finally {
            System.clearProperty(SCHEME);
        }
    }

    @Test
    void oneThatIsNotThereIsNamed() throws Throwable {
        with("my.NoSuch", () -> assertRefused(MethodProvidersTest::open, "my.NoSuch not found."));
    }

    @Test
    void oneThatCannotBeMadeIsNamed() throws Throwable {
        with(
                Broken.class.getName(),
                () -> assertRefused(MethodProvidersTest::open, "$Broken", "played"));
    }

    @Test
    void oneThatFailsWhenTheCoreAsksItIsNamed() throws Throwable {
        assertNamed(WithoutScheme.class, MethodProvidersTest::open, "its scheme", "played");
        assertNamed(WithoutKnobs.class, MethodProvidersTest::open, "its knobs", "played");
        assertNamed(WithoutOptions.class, MethodProvidersTest::open, "its options", "played");
        assertNamed(
                WithoutAvailability.class,
                MethodProvidersTest::look,
                "its availability",
                "it is null");
    }

    private void assertNamed(
            Class<? extends MethodProvider> provider,
            ThrowingCallable call,
            String asked,
            String why)
            throws Throwable {
        with(provider.getName(), () -> assertRefused(call, provider.getName(), asked, why));
    }

    @Test
    void noMethodAndNoAddressAreSaid() throws Throwable {
        with(
                Idle.class.getName(),
                () -> assertRefused(MethodProvidersTest::look, "\"idle\" returned null from open"));
        with(
                Blind.class.getName(),
                () ->
                        assertRefused(
                                MethodProvidersTest::look, "\"idle\" returned null from lookup"));
    }
}
