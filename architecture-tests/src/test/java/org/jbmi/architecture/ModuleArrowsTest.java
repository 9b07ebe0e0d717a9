package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import org.jbmi.mempool.guilty.Upwards;
import org.jbmi.zoid.guilty.Sideways;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** An arrow never runs upwards, and siblings do not know each other. */
class ModuleArrowsTest {

    @Test
    void noModuleUsesOneThatItMayNotKnow() {
        assertThat(forbidden(House.allClasses())).isEmpty();
    }

    @Test
    void everyModuleIsLookedAt() {
        JavaClasses all = House.allClasses();
        for (House module : House.values()) {
            assertThat(all.stream().filter(type -> House.of(type) == module))
                    .as(module.folder())
                    .isNotEmpty();
        }
    }

    @Test
    void anArrowUpwardsIsSeen() {
        JavaClasses guilty = new ClassFileImporter().importClasses(Upwards.class);
        assertThat(forbidden(guilty))
                .isNotEmpty()
                .allMatch(line -> line.startsWith("mempool uses bmi-api"));
    }

    @Test
    void anArrowBetweenSiblingsIsSeen() {
        JavaClasses guilty = new ClassFileImporter().importClasses(Sideways.class);
        assertThat(forbidden(guilty))
                .isNotEmpty()
                .allMatch(line -> line.startsWith("bmi-method-zoid uses bmi-method-loopback"));
    }

    private static List<String> forbidden(JavaClasses classes) {
        List<String> lines = new ArrayList<>();
        for (JavaClass type : classes) {
            House from = House.of(type);
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (!House.isOurs(target)) {
                    continue;
                }
                House to = House.of(target);
                if (from != to && !from.mayUse().contains(to)) {
                    lines.add(
                            from.folder()
                                    + " uses "
                                    + to.folder()
                                    + ": "
                                    + dependency.getDescription());
                }
            }
        }
        return lines;
    }
}
