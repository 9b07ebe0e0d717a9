package org.jbmi.zoid.processor.plugin;

import com.palantir.javapoet.ClassName;

import org.jbmi.zoid.processor.model.Values;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;

import javax.lang.model.type.TypeMirror;

/** What a parameter consists of, without its shape. */
sealed interface Value {
    /** A primitive type but {@code char}. */
    enum Primitive implements Value {
        BOOLEAN(1, "bool"),
        BYTE(1, "i8"),
        SHORT(2, "i16"),
        INT(4, "i32"),
        LONG(8, "i64"),
        FLOAT(4, "f32"),
        DOUBLE(8, "f64");

        private static final List<Primitive> COUNTABLE = List.of(BYTE, SHORT, INT, LONG);
        private final int bytes;
        private final String signature;

        Primitive(int bytes, String signature) {
            this.bytes = bytes;
            this.signature = signature;
        }

        int bytes() {
            return bytes;
        }

        String signature() {
            return signature;
        }

        String javaName() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** As methods are called that write and read it: {@code putInt}. */
        String suffix() {
            return name().charAt(0) + javaName().substring(1);
        }

        static @Nullable Primitive of(TypeMirror type) {
            for (Primitive each : values()) {
                if (each.name().equals(type.getKind().name())) {
                    return each;
                }
            }
            return null;
        }

        /** The one of whose values a cell holds: of {@code IntCell} it is {@code int}. */
        static @Nullable Primitive ofCell(String cell) {
            for (Primitive each : values()) {
                if (each != BOOLEAN && cell.equals(PluginReader.FORWARD + each.suffix() + "Cell")) {
                    return each;
                }
            }
            return null;
        }

        @Override
        public Values rules() {
            return new Values(COUNTABLE.contains(this), bytes, false);
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
