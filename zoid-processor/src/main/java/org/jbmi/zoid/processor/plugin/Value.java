package org.jbmi.zoid.processor.plugin;

import com.palantir.javapoet.ClassName;

import org.jbmi.shipper.processor.model.Plain;
import org.jbmi.zoid.processor.model.Values;
import org.jspecify.annotations.Nullable;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** What a parameter consists of, without its shape. */
sealed interface Value {
    /** A primitive type but {@code char}, as the shipper writes it. */
    record Primitive(Plain plain) implements Value {
        private static final Set<Plain> COUNTABLE =
                Set.of(Plain.BYTE, Plain.SHORT, Plain.INT, Plain.LONG);

        int bytes() {
            return plain.minBytes();
        }

        /** As methods are called that write and read it: {@code putInt}. */
        String suffix() {
            return plain.suffix();
        }

        /** Its type in Java. */
        Class<?> type() {
            return Objects.requireNonNull(plain.type());
        }

        static @Nullable Primitive of(TypeMirror type) {
            TypeKind kind = type.getKind();
            return kind.isPrimitive() && kind != TypeKind.CHAR
                    ? new Primitive(Plain.valueOf(kind.name()))
                    : null;
        }

        /** The one of whose values a cell holds: of {@code IntCell} it is {@code int}. */
        static @Nullable Primitive ofCell(String cell) {
            return EnumSet.range(Plain.BYTE, Plain.DOUBLE).stream()
                    .filter(each -> cell.equals(PluginReader.FORWARD + each.suffix() + "Cell"))
                    .findFirst()
                    .map(Primitive::new)
                    .orElse(null);
        }

        @Override
        public Values rules() {
            return new Values(COUNTABLE.contains(plain), bytes(), false);
        }
    }

    /** A string. */
    record Text() implements Value {
        @Override
        public Values rules() {
            return new Values(false, 0, false);
        }
    }

    /**
     * A record that is shipped.
     *
     * @param name its class
     * @param codec the class that writes and reads it
     */
    record Struct(ClassName name, ClassName codec) implements Value {
        @Override
        public Values rules() {
            return new Values(false, 0, false);
        }
    }

    /**
     * Memory, of which elements have a size.
     *
     * @param elementBytes how many bytes the size parameter counts as one
     */
    record Memory(int elementBytes) implements Value {
        @Override
        public Values rules() {
            return new Values(false, elementBytes, false);
        }
    }

    /** What the rules of hints must know of it. */
    Values rules();
}
