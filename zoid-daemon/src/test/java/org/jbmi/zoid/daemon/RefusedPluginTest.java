package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.zoid.daemon.plugin.Plugins;
import org.jbmi.zoid.forward.PluginLifecycle;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;
import org.jbmi.zoid.forward.stub.ServedCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** A plug-in that was opened closes what it has opened, also if it is then refused. */
@Timeout(60)
class RefusedPluginTest {
    private final Told first = new Told("first");
    private final Told second = new Told("second");

    /** A plug-in with a name of its own, and with the number of "held". */
    private static class Told extends HeldFunctions {
        private final String name;

        Told(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void unloaded() {
            told.add("unloaded");
        }
    }

    /** A dispatcher with another number, of a plug-in without functions. */
    private record Empty(
            PluginLifecycle plugin, Supplier<List<String>> functions, IntSupplier number)
            implements PluginDispatcher {
        Empty(PluginLifecycle plugin, Supplier<List<String>> functions) {
            this(plugin, functions, () -> 201);
        }

        @Override
        public int id() {
            return number.getAsInt();
        }

        @Override
        public String name() {
            return "late";
        }

        @Override
        public List<String> signatures() {
            return functions.get();
        }

        @Override
        public void call(int function, ServedCall call) {
            throw new IllegalStateException("It has no function.");
        }
    }

    private static void serve(Bmi bmi, PluginProvider... providers) {
        ZoidSettings settings = ZoidSettings.defaults().withModules(List.of("first", "second"));
        ZoidDaemon.serve(bmi, settings, List.of(providers), _ -> {}).close();
    }

    private static Bmi open() {
        return Bmi.builder()
                .attach(LoopbackHub.class, new LoopbackHub())
                .listen("loopback://server")
                .open();
    }

    @Test
    void oneWhoseNumberIsTakenIsToldSo() {
        try (Bmi bmi = open()) {
            assertThatThrownBy(() -> serve(bmi, first, second))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("both have the number 200");
        }
        assertThat(first.told).containsExactly("unloaded");
        assertThat(second.told).containsExactly("unloaded");
    }

    @Test
    void oneBeforeAnotherThatCannotBeOpenedIsToldSo() {
        Told broken =
                new Told("second") {
                    @Override
                    public PluginDispatcher open(PluginServices known) {
                        throw new NoClassDefFoundError("demo/Gone");
                    }
                };
        try (Bmi bmi = open()) {
            assertThatThrownBy(() -> serve(bmi, first, broken))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "The plug-in second cannot be loaded:"
                                    + " java.lang.NoClassDefFoundError: demo/Gone");
        }
        assertThat(first.told).containsExactly("unloaded");
    }

    /** The exceptions of the JDK do not say whose number it was. */
    @Test
    void oneThatFailsWithAnExceptionOfTheJdkIsNamed() {
        Told broken =
                new Told("second") {
                    @Override
                    public PluginDispatcher open(PluginServices known) {
                        throw new NumberFormatException("For input string: \"8x\"");
                    }
                };
        assertThatThrownBy(() -> plugins(broken).loadAll(List.of("second")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The plug-in second cannot be loaded: ")
                .hasMessageEndingWith("8x\"");
    }

    @Test
    void oneWhoseSettingsCannotBeReadIsNamed() {
        Told broken =
                new Told("second") {
                    @Override
                    public Set<String> settings() {
                        throw new UnsupportedOperationException("No settings.");
                    }
                };
        try (Bmi bmi = open()) {
            assertThatThrownBy(() -> serve(bmi, first, broken))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("The plug-in second cannot be loaded: ")
                    .hasMessageEndingWith("No settings.");
        }
    }

    /** As a list of services has it that names a class which is not there. */
    @Test
    void aClassPathWithAPluginThatIsNotThereIsRefused() {
        Iterable<PluginProvider> broken =
                () -> {
                    throw new ServiceConfigurationError("Provider demo.Gone not found");
                };
        try (Bmi bmi = open()) {
            assertThatThrownBy(
                            () -> ZoidDaemon.serve(bmi, ZoidSettings.defaults(), broken, _ -> {}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("A plug-in of the class path cannot be loaded: ")
                    .hasMessageEndingWith("Provider demo.Gone not found");
        }
    }

    @Test
    void oneOfAServerThatCannotBeMadeIsToldSo() {
        Bmi bmi = open();
        bmi.close();
        assertThatThrownBy(() -> serve(bmi, first)).isInstanceOf(BmiException.class);
        assertThat(first.told).containsExactly("unloaded");
    }

    /** As one in another language of the JVM can throw it. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> E undeclared(Exception thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void oneThatThrowsAnUndeclaredExceptionIsNamed() {
        Told broken =
                new Told("second") {
                    @Override
                    public PluginDispatcher open(PluginServices known) {
                        throw undeclared(new IOException("planted by the test"));
                    }
                };
        String sentence = " cannot be loaded: java.io.IOException: planted by the test";
        try (Bmi bmi = open()) {
            assertThatThrownBy(() -> serve(bmi, first, broken))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The plug-in second" + sentence);
        }
        assertThat(first.told).containsExactly("unloaded");
        assertThatThrownBy(() -> plugins(broken).load("second", "", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The plug-in" + sentence);
    }

    @Test
    void oneThatThrowsAnUndeclaredExceptionHindersNoOther() {
        Told broken =
                new Told("first") {
                    @Override
                    public void unloaded() {
                        throw undeclared(new IOException("planted by the test"));
                    }
                };
        Told late = late();
        Plugins plugins = plugins(broken, late);
        plugins.loadAll(List.of("first", "late"));
        plugins.close();
        assertThat(late.told).containsExactly("unloaded");
    }

    /** A jar or folder has its own copy of it. */
    public static final class Alien implements PluginProvider {
        @SuppressWarnings("unchecked")
        private static <E extends Exception> E undeclared() throws E {
            throw (E) new IOException("planted by the test");
        }

        /** Shows the test its class loader. */
        @Override
        public String name() {
            Thread.currentThread().setContextClassLoader(Alien.class.getClassLoader());
            throw undeclared();
        }

        @Override
        public PluginDispatcher open(PluginServices known) {
            throw new IllegalStateException("Nobody opens it.");
        }
    }

    @Test
    void oneWhoseNameCannotBeReadKeepsNoFileOpen(@TempDir Path folder) throws Exception {
        String name = Alien.class.getName();
        String file = name.replace('.', '/') + ".class";
        Path copy = folder.resolve(file);
        Files.createDirectories(copy.getParent());
        try (InputStream code = Alien.class.getResourceAsStream("/" + file)) {
            Files.copy(code, copy);
        }
        Path list = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(list.resolve(PluginProvider.class.getName()), name);
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(
                new ClassLoader(own) {
                    @Override
                    protected Class<?> loadClass(String wanted, boolean resolve)
                            throws ClassNotFoundException {
                        if (wanted.equals(name)) {
                            throw new ClassNotFoundException(wanted);
                        }
                        return super.loadClass(wanted, resolve);
                    }
                });
        try {
            assertThatThrownBy(() -> plugins().load("alien", folder.toString(), Map.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("planted by the test");
            assertThat(thread.getContextClassLoader())
                    .isInstanceOfSatisfying(
                            URLClassLoader.class,
                            code -> assertThat(code.findResource(file)).isNull());
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    /** The interrupt says that the process has gone; the server still has to see it. */
    @Test
    void anInterruptThatOneThrowsUndeclaredIsNotLost() {
        Told waiting =
                new Told("first") {
                    @Override
                    public void proc(boolean added, int process) {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            throw undeclared(e);
                        }
                    }
                };
        Plugins plugins = plugins(waiting);
        plugins.loadAll(List.of("first"));
        Thread.currentThread().interrupt();
        plugins.processComes(7);
        assertThat(Thread.interrupted()).isTrue();
        plugins.close();
    }

    /** The server says the end of each process, also of one that it has not told of. */
    @Test
    void theEndOfAProcessIsToldOnlyIfItsBeginningWas() {
        Told watching =
                new Told("first") {
                    @Override
                    public void proc(boolean added, int process) {
                        told.add(process + " " + added);
                    }
                };
        Plugins plugins = plugins(watching);
        plugins.loadAll(List.of("first"));
        plugins.processGoes(7);
        plugins.processComes(8);
        plugins.processGoes(8);
        plugins.close();
        assertThat(watching.told).containsExactly("8 true", "8 false", "unloaded");
    }

    private static Told late() {
        return new Told("late") {
            @Override
            public PluginDispatcher open(PluginServices known) {
                return new Empty(this, List::of);
            }
        };
    }

    /** The server introduces it only when no other plug-in is told of something. */
    @Test
    void oneThatIsNotIntroducedInTimeIsToldSo() throws Exception {
        CountDownLatch telling = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Told slow =
                new Told("first") {
                    @Override
                    public void proc(boolean added, int process) {
                        telling.countDown();
                        try {
                            end.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                };
        Told late =
                new Told("late") {
                    @Override
                    public PluginDispatcher open(PluginServices known) {
                        Thread.currentThread().interrupt(); // ends the wait that follows
                        return new Empty(this, List::of);
                    }
                };
        Plugins plugins = plugins(slow, late);
        plugins.loadAll(List.of("first"));
        Thread coming = Thread.ofVirtual().start(() -> plugins.processComes(1));
        try {
            telling.await();
            assertThatThrownBy(() -> plugins.load("late", "", Map.of()))
                    .isInstanceOf(InterruptedException.class);
            assertThat(late.told).containsExactly("unloaded");
        } finally {
            end.countDown();
            coming.join();
        }
        plugins.close();
        assertThat(late.told).containsExactly("unloaded");
    }

    @Test
    void oneWhoseFunctionsCannotBeReadIsToldSo() {
        Told broken =
                new Told("late") {
                    @Override
                    public PluginDispatcher open(PluginServices known) {
                        return new Empty(
                                this,
                                () -> {
                                    throw new UnsupportedOperationException("No functions.");
                                });
                    }
                };
        assertThatThrownBy(() -> plugins(broken).load("late", "", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("No functions.");
        assertThat(broken.told).containsExactly("unloaded");
    }

    /** Exceptions that say nothing but what they are. */
    private static final class NotHere extends IllegalStateException {
        private static final long serialVersionUID = 1L;
    }

    private static final class NotHereNow extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;
    }

    /** Whatever it throws, the administrator is told why it is not loaded. */
    @Test
    void oneThatCannotBeOpenedIsRefusedWithItsReason() {
        for (RuntimeException reason :
                List.of(
                        new UnsupportedOperationException("Not here."),
                        new IllegalStateException("Not here."),
                        new IllegalArgumentException("Not here."),
                        new IllegalStateException(""),
                        new NotHere(),
                        new NotHereNow())) {
            Told broken =
                    new Told("late") {
                        @Override
                        public PluginDispatcher open(PluginServices known) {
                            throw reason;
                        }
                    };
            Plugins plugins = plugins(broken);
            assertThatThrownBy(() -> plugins.load("late", "", Map.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .message()
                    .containsAnyOf("Not here.", "$NotHere", "IllegalStateException");
            assertThat(plugins.all()).isEmpty();
        }
    }

    private static int orFull(boolean isFull) {
        if (isFull) {
            throw new OutOfMemoryError("planted by the test");
        }
        return 201;
    }

    /** The heap is full at a moment of its loading. */
    @Test
    void oneThatCannotBeLoadedNowCanBeLoadedLater() throws Exception {
        for (int moment = 1; moment <= 4; moment++) {
            AtomicInteger left = new AtomicInteger(moment);
            Told late =
                    new Told("late") {
                        @Override
                        public PluginDispatcher open(PluginServices known) {
                            return new Empty(
                                    this, List::of, () -> orFull(left.decrementAndGet() == 0));
                        }
                    };
            Plugins plugins = plugins(late);
            try {
                plugins.load("late", "", Map.of());
                assertThat(moment).as("its number is asked for").isGreaterThan(1);
            } catch (OutOfMemoryError e) {
                assertThat(plugins.all()).as("after " + moment).isEmpty();
                assertThat(plugins.find(201)).isNull();
                plugins.load("late", "", Map.of());
            }
            assertThat(plugins.all()).hasSize(1);
        }
    }

    /** The heap is full at a moment of its unloading. */
    @Test
    void oneThatCannotBeUnloadedNowCanBeUnloadedLater() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean();
        Told late =
                new Told("late") {
                    @Override
                    public PluginDispatcher open(PluginServices known) {
                        return new Empty(this, List::of, () -> orFull(isFull.getAndSet(false)));
                    }
                };
        Plugins plugins = plugins(late);
        plugins.load("late", "", Map.of());
        isFull.set(true);
        assertThatThrownBy(() -> plugins.unload("late")).isInstanceOf(OutOfMemoryError.class);
        assertThat(plugins.all()).hasSize(1);
        assertThat(plugins.unload("late")).isZero();
        assertThat(late.told).containsExactly("unloaded");
    }

    private static Plugins plugins(PluginProvider... providers) {
        return new Plugins(List.of(providers), _ -> services(), _ -> {}, _ -> {});
    }

    private static PluginServices services() {
        return (PluginServices)
                Proxy.newProxyInstance(
                        RefusedPluginTest.class.getClassLoader(),
                        new Class<?>[] {PluginServices.class},
                        (_, method, _) -> {
                            throw new IllegalStateException("Nobody calls " + method + ".");
                        });
    }
}
