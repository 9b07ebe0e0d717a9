package org.jbmi.shipper.processor.model;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The shape of a value that travels: what it consists of, down to values without parts. Two sides
 * understand each other if their shapes have the same {@link #signature()}. Names and order of
 * components are part of it; names of classes and packages are not.
 */
public sealed interface Shape
        permits Plain, Shape.Choice, Shape.Sequence, Shape.Maybe, Shape.Struct {
    /** The bytes of a count or a length in front of its elements. */
    int COUNT_BYTES = 4;

    /** The bytes of a choice. */
    int CHOICE_BYTES = 2;

    /**
     * The one spelling of this shape.
     *
     * @return for example {@code "{file:i64,name:str}"}
     */
    String signature();

    /**
     * The least number of bytes that a value of this shape takes; it bounds how many elements a
     * message of a given size can hold.
     *
     * @return 0 or more
     */
    int minBytes();

    /**
     * One of several constants, by its place among them.
     *
     * @param javaName the name of the enum, as source code writes it
     * @param constants their names in order
     */
    record Choice(String javaName, List<String> constants) implements Shape {
        /** Keeps a copy. */
        public Choice {
            constants = List.copyOf(constants);
        }

        @Override
        public String signature() {
            return "enum(" + String.join("|", constants) + ")";
        }

        @Override
        public int minBytes() {
            return CHOICE_BYTES;
        }
    }

    /**
     * Any number of values of one shape.
     *
     * @param element their shape
     */
    record Sequence(Shape element) implements Shape {
        @Override
        public String signature() {
            return "[" + element.signature() + "]";
        }

        @Override
        public int minBytes() {
            return COUNT_BYTES;
        }
    }

    /**
     * A value or none.
     *
     * @param element the shape of the value
     */
    record Maybe(Shape element) implements Shape {
        @Override
        public String signature() {
            return element.signature() + "?";
        }

        @Override
        public int minBytes() {
            return 1;
        }
    }

    /**
     * Components one after the other.
     *
     * @param javaName the name of the record, as source code writes it
     * @param fields its components in order
     */
    record Struct(String javaName, List<Field> fields) implements Shape {
        /** Keeps a copy. */
        public Struct {
            fields = List.copyOf(fields);
        }

        @Override
        public String signature() {
            return fields.stream()
                    .map(field -> field.name() + ":" + field.shape().signature())
                    .collect(Collectors.joining(",", "{", "}"));
        }

        @Override
        public int minBytes() {
            return fields.stream().mapToInt(field -> field.shape().minBytes()).sum();
        }
    }

    /**
     * A component.
     *
     * @param name its name
     * @param shape what it holds
     */
    record Field(String name, Shape shape) {}
}
