package org.jbmi.shipper.processor;

import org.jbmi.shipper.processor.model.Plain;
import org.jbmi.shipper.processor.model.Shape;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Reads records as shapes. Each refusal names the component, the record, and what to do. */
final class ShapeReader {
    static final String SHIPPED = "org.jbmi.shipper.codec.Shipped";
    static final String BULK_HANDLE = "org.jbmi.shipper.codec.BulkHandle";

    private static final int MAX_CONSTANTS = 1 << 16;

    /** The most bytes of a constant in a class file, in which a letter has up to three. */
    private static final int MOST_SIGNATURE_BYTES = 65_535;

    private static final Map<String, Plain> BOXES =
            Map.of(
                    "java.lang.Boolean", Plain.BOOLEAN,
                    "java.lang.Byte", Plain.BYTE,
                    "java.lang.Short", Plain.SHORT,
                    "java.lang.Integer", Plain.INT,
                    "java.lang.Long", Plain.LONG,
                    "java.lang.Float", Plain.FLOAT,
                    "java.lang.Double", Plain.DOUBLE);

    /** The records on the way from the outermost one to the one that is read. */
    private final Deque<String> path = new ArrayDeque<>();

    Shape.Struct read(TypeElement record) throws ShapeException {
        String name = record.getQualifiedName().toString();
        if (record.getKind() != ElementKind.RECORD) {
            throw new ShapeException(
                    record, "@Shipped is for records, and " + name + " is none: make it a record.");
        }
        if (!record.getTypeParameters().isEmpty()) {
            throw new ShapeException(
                    record,
                    "The record %s has type parameters: write one record for each type."
                            .formatted(name));
        }
        checkVisible(record, name);
        path.addLast(name);
        List<Shape.Field> fields = new ArrayList<>();
        for (RecordComponentElement component : record.getRecordComponents()) {
            Place place = new Place(record, component);
            fields.add(
                    new Shape.Field(
                            component.getSimpleName().toString(),
                            shapeOf(place, component.asType(), false)));
        }
        path.removeLast();
        Shape.Struct shape = new Shape.Struct(name, fields);
        // Of each record on the way: the one around it may hold it any number of times.
        checkSize(record, shape.signature());
        return shape;
    }

    private static void checkSize(TypeElement record, String signature) throws ShapeException {
        int size = signature.chars().map(c -> c < 0x80 ? 1 : c < 0x800 ? 2 : 3).sum();
        if (size > MOST_SIGNATURE_BYTES) {
            throw new ShapeException(
                    record,
                    "The record %s has a signature of %d bytes, and a class file holds at most %d:"
                                    .formatted(record, size, MOST_SIGNATURE_BYTES)
                            + " give it fewer or shorter names.");
        }
    }

    private static void checkVisible(TypeElement record, String name) throws ShapeException {
        if (isHidden(record)) {
            throw new ShapeException(
                    record,
                    "The record %s is private, or inside a private class: its codec could not"
                                    .formatted(name)
                            + " use it.");
        }
    }

    private static boolean isHidden(TypeElement type) {
        for (Element at = type; at instanceof TypeElement; at = at.getEnclosingElement()) {
            if (at.getModifiers().contains(Modifier.PRIVATE)) {
                return true;
            }
        }
        return false;
    }

    /** Whether all classes may use a type. */
    static boolean isPublic(TypeElement type) {
        for (Element at = type; at instanceof TypeElement; at = at.getEnclosingElement()) {
            if (!at.getModifiers().contains(Modifier.PUBLIC)) {
                return false;
            }
        }
        return true;
    }

    private static String packageOf(TypeElement type) {
        Element at = type;
        while (at instanceof TypeElement) {
            at = at.getEnclosingElement();
        }
        return String.valueOf(at);
    }

    /** A record may inherit the name of a type that its codec may not use. */
    private static void checkAccess(Place place, TypeElement type) throws ShapeException {
        if (!isPublic(type) && !packageOf(type).equals(packageOf(place.record()))) {
            throw place.refuse(
                    "the type "
                            + type.getQualifiedName()
                            + " is not public, and is in another package: the codec could not use"
                            + " it");
        }
    }

    private Shape shapeOf(Place place, TypeMirror type, boolean boxed) throws ShapeException {
        if (type.getKind().isPrimitive()) {
            if (type.getKind() == TypeKind.CHAR) {
                throw place.refuse("a char is half of some letters: use int or String");
            }
            return Plain.valueOf(type.getKind().name());
        }
        if (type instanceof ArrayType array) {
            if (array.getComponentType().getKind() == TypeKind.BYTE) {
                return Plain.BYTES;
            }
            throw place.refuse("of arrays only byte[] travels: use a List");
        }
        if (type instanceof DeclaredType declared
                && declared.asElement() instanceof TypeElement element) {
            return declaredShape(place, declared, element, boxed);
        }
        throw place.refuse("the type " + type + " does not travel");
    }

    private Shape declaredShape(Place place, DeclaredType type, TypeElement element, boolean boxed)
            throws ShapeException {
        String name = element.getQualifiedName().toString();
        Plain box = BOXES.get(name);
        if (box != null) {
            if (!boxed) {
                throw place.refuse(
                        "a %s may be null: use %s, or Optional<%s>"
                                .formatted(
                                        element.getSimpleName(),
                                        box.type(),
                                        element.getSimpleName()));
            }
            return box;
        }
        return switch (name) {
            case "java.lang.String" -> Plain.TEXT;
            case BULK_HANDLE -> Plain.BULK;
            case "java.util.List" -> new Shape.Sequence(sequenceElement(place, type));
            case "java.util.Optional" -> new Shape.Maybe(argument(place, type));
            default -> namedShape(place, element);
        };
    }

    private Shape sequenceElement(Place place, DeclaredType type) throws ShapeException {
        Shape element = argument(place, type);
        if (element.minBytes() == 0) {
            throw place.refuse(
                    "its elements are records without components, which take no room, so that a"
                            + " message could hold any number of them: use an int");
        }
        return element;
    }

    private Shape argument(Place place, DeclaredType type) throws ShapeException {
        if (type.getTypeArguments().isEmpty()) {
            throw place.refuse("the type " + type + " does not say of what: name it in <>");
        }
        return shapeOf(place, type.getTypeArguments().get(0), true);
    }

    private Shape namedShape(Place place, TypeElement element) throws ShapeException {
        String name = element.getQualifiedName().toString();
        checkAccess(place, element);
        if (element.getKind() == ElementKind.ENUM) {
            return choice(place, element, name);
        }
        if (element.getKind() == ElementKind.RECORD) {
            if (!isShipped(element)) {
                throw place.refuse("the record " + name + " is not marked with @Shipped");
            }
            if (path.contains(name)) {
                throw place.refuse(
                        "the record "
                                + name
                                + " would contain itself, at any depth: use a List of parts that"
                                + " refer to each other by number");
            }
            return read(element);
        }
        throw place.refuse(
                "the type "
                        + name
                        + " does not travel: allowed are int, long, short, byte, float, double,"
                        + " boolean, String, byte[], enums, List, Optional, BulkHandle and shipped"
                        + " records");
    }

    private static Shape choice(Place place, TypeElement element, String name)
            throws ShapeException {
        if (isHidden(element)) {
            throw place.refuse("the enum " + name + " is private, or inside a private class");
        }
        List<String> constants = new ArrayList<>();
        for (Element member : element.getEnclosedElements()) {
            if (member.getKind() == ElementKind.ENUM_CONSTANT) {
                constants.add(member.getSimpleName().toString());
            }
        }
        if (constants.isEmpty() || constants.size() > MAX_CONSTANTS) {
            throw place.refuse("the enum " + name + " must have 1 to 65536 constants");
        }
        return new Shape.Choice(name, constants);
    }

    private static boolean isShipped(TypeElement element) {
        return element.getAnnotationMirrors().stream()
                .anyMatch(mirror -> mirror.getAnnotationType().toString().equals(SHIPPED));
    }

    /** A component of a record, for messages. */
    private record Place(TypeElement record, RecordComponentElement component) {
        ShapeException refuse(String reason) {
            return new ShapeException(
                    component,
                    "Component %s of record %s: %s."
                            .formatted(component.getSimpleName(), record.getSimpleName(), reason));
        }
    }
}
