package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import org.jbmi.architecture.guilty.KeepsState;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * No static mutable state: any number of instances live in one process without meeting. Every
 * static field is final, and what it holds at run time is looked at down to its last component.
 */
class StaticStateTest {

    /** Fields that hold something mutable which nobody mutates, each with the reason. */
    private static final Map<String, String> EXCUSED =
            Map.of(
                    "org.jbmi.core.operation.SegmentCheck.ANY_OTHER",
                    "a thread that is never started, to ask whether a segment is shared");

    @Test
    void noClassKeepsStaticState() throws ReflectiveOperationException, IOException {
        List<String> found = mutableStatics(House.allClasses());
        found.removeIf(line -> EXCUSED.containsKey(line.substring(0, line.indexOf(' '))));
        assertThat(found).isEmpty();
    }

    @Test
    void everyExcuseIsNeeded() throws ReflectiveOperationException, IOException {
        assertThat(mutableStatics(House.allClasses()))
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .containsAll(EXCUSED.keySet());
    }

    @Test
    void staticStateIsSeen() throws ReflectiveOperationException, IOException {
        JavaClasses guilty = new ClassFileImporter().importClasses(KeepsState.class);
        assertThat(mutableStatics(guilty))
                .extracting(line -> line.substring(line.lastIndexOf("KeepsState.") + 11))
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .containsExactlyInAnyOrderElementsOf(KeepsState.GUILTY_FIELDS);
    }

    private static List<String> mutableStatics(JavaClasses classes)
            throws ReflectiveOperationException, IOException {
        List<String> found = new ArrayList<>();
        for (JavaClass type : classes) {
            for (JavaField field : type.getFields()) {
                if (isStaticOfSource(field)) {
                    String reason = mutability(field);
                    if (reason != null) {
                        found.add(field.getFullName() + " " + reason);
                    }
                }
            }
        }
        return found;
    }

    private static boolean isStaticOfSource(JavaField field) {
        return field.getModifiers().contains(JavaModifier.STATIC)
                && !field.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    private static String mutability(JavaField field)
            throws ReflectiveOperationException, IOException {
        if (!field.getModifiers().contains(JavaModifier.FINAL)) {
            return "is not final";
        }
        if (field.getRawType().isPrimitive()) {
            return null;
        }
        Field reflected = field.reflect();
        reflected.setAccessible(true);
        Object value = reflected.get(null);
        if (value != null && value.getClass().isArray()) {
            return ConstantArrays.isConstant(reflected, value) ? null : "is an array";
        }
        return Immutability.fault(value);
    }
}
