package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The module descriptors: the same arrows, and services in both of the places that declare them.
 */
class ModuleDescriptorsTest {

    static Stream<House> modules() {
        return Stream.of(House.values()).filter(module -> module.moduleName() != null);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void requiresOnlyWhatItMayUse(House module) {
        Map<String, House> ours = House.byModuleName();
        assertThat(descriptor(module).requires())
                .extracting(ModuleDescriptor.Requires::name)
                .filteredOn(ours::containsKey)
                .allMatch(name -> module.mayUse().contains(ours.get(name)));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void declaresEachServiceForTheClassPathAndForTheModulePath(House module) throws IOException {
        assertThat(ServiceFiles.of(module)).isEqualTo(servicesOfModulePath(module));
    }

    /** A module whose pom leaves out "missing" may document only a part of its packages. */
    @ParameterizedTest
    @MethodSource("modules")
    void documentsWhatItExportsToEverybody(House module) throws IOException {
        String pom =
                Files.readString(House.projectFolder().resolve(module.folder()).resolve("pom.xml"));
        Set<String> documented = new TreeSet<>(List.of(property(pom, "doclint.packages")));
        documented.remove("org.jbmi.none");
        Set<String> exported = new TreeSet<>();
        for (ModuleDescriptor.Exports exports : descriptor(module).exports()) {
            if (!exports.isQualified()) {
                exported.add(exports.source());
            }
        }
        boolean isForSiblings = List.of(property(pom, "doclint.groups")).contains("-missing");
        if (isForSiblings) {
            assertThat(exported).containsAll(documented);
        } else {
            assertThat(documented).isEqualTo(exported);
        }
    }

    private static String[] property(String pom, String name) {
        Matcher value = Pattern.compile("<%1$s>(.*)</%1$s>".formatted(name)).matcher(pom);
        return value.find() ? value.group(1).split(",", -1) : new String[0];
    }

    /** The compiler checks the code of a module against its descriptor. */
    @Test
    void theEngineSeesMessagesAndNothingElse() {
        ModuleDescriptor engine = descriptor(House.ENGINE);
        assertThat(engine.requires())
                .extracting(ModuleDescriptor.Requires::name)
                .containsExactlyInAnyOrder(
                        "java.base",
                        "org.jspecify",
                        House.API.moduleName(),
                        House.PROTOCOL.moduleName());
        assertThat(engine.uses()).isEmpty();
        assertThat(engine.provides()).isEmpty();
        assertThat(engine.packages())
                .containsExactlyInAnyOrder(
                        "org.jbmi.zbmi.engine",
                        "org.jbmi.zbmi.engine.port",
                        "org.jbmi.zbmi.engine.state");
        assertThat(descriptor(House.PROTOCOL).packages())
                .containsExactlyInAnyOrder(
                        "org.jbmi.zbmi.protocol", "org.jbmi.zbmi.protocol.handshake");
    }

    @Test
    void theMethodOfAClientReachesNoEngine() {
        assertThat(reachedFrom(House.ZOID))
                .contains(House.LINK, House.PROTOCOL)
                .doesNotContain(House.ENGINE, House.HOST);
        assertThat(reachedFrom(House.SERVER)).contains(House.ENGINE, House.HOST);
    }

    private static Set<House> reachedFrom(House start) {
        Map<String, House> ours = House.byModuleName();
        Set<House> reached = new TreeSet<>();
        Deque<House> open = new ArrayDeque<>(Set.of(start));
        while (!open.isEmpty()) {
            for (ModuleDescriptor.Requires required : descriptor(open.pop()).requires()) {
                House next = ours.get(required.name());
                if (next != null && reached.add(next)) {
                    open.push(next);
                }
            }
        }
        return reached;
    }

    @Test
    void theServicesOfAModuleAreSeen() throws IOException {
        assertThat(ServiceFiles.of(House.LOOPBACK))
                .containsEntry(
                        "org.jbmi.spi.MethodProvider",
                        Set.of("org.jbmi.loopback.LoopbackProvider"));
    }

    private static ModuleDescriptor descriptor(House module) {
        return reference(module).descriptor();
    }

    private static ModuleReference reference(House module) {
        return ModuleFinder.of(module.classes()).find(module.moduleName()).orElseThrow();
    }

    private static Map<String, Set<String>> servicesOfModulePath(House module) {
        Map<String, Set<String>> services = new TreeMap<>();
        for (ModuleDescriptor.Provides provides : descriptor(module).provides()) {
            services.put(provides.service(), new TreeSet<>(provides.providers()));
        }
        return services;
    }
}
