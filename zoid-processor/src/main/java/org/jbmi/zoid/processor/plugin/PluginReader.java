package org.jbmi.zoid.processor.plugin;

import com.palantir.javapoet.ClassName;

import org.jbmi.zoid.processor.model.Direction;
import org.jbmi.zoid.processor.model.Finding;
import org.jbmi.zoid.processor.model.HintRules;
import org.jbmi.zoid.processor.model.Hints;
import org.jbmi.zoid.processor.model.Parameter;
import org.jbmi.zoid.processor.model.Shape;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** Reads an annotated interface, and says what is wrong with it. For one interface. */
final class PluginReader {
    static final String FORWARD = "org.jbmi.zoid.forward.";
    static final String PLUGIN = FORWARD + "ZoidPlugin";
    private static final String LIFECYCLE = FORWARD + "PluginLifecycle";
    private static final String CELL = FORWARD + "Cell";
    private static final String SHIPPED = "org.jbmi.shipper.codec.Shipped";
    private static final String MEMORY = "java.lang.foreign.MemorySegment";
    private static final String ALLOCATE = "Allocate";

    /** As the compiler shows a constant that it has not found; it shows a text with its quotes. */
    private static final String UNRESOLVED = "<error>";

    private static final int LARGEST_ID = 65_535;
    private static final Set<Integer> ELEMENT_BYTES = Set.of(1, 2, 4, 8);

    private final Types types;
    private final Elements elements;
    private final List<Fault> faults = new ArrayList<>();
    private boolean isUnresolved;

    /**
     * Something wrong.
     *
     * @param sentence what
     * @param place where
     */
    record Fault(String sentence, Element place) {}

    /** A type of a parameter, taken apart. */
    private record Shaped(Shape shape, Value value, boolean isCell) {}

    PluginReader(Types types, Elements elements) {
        this.types = types;
        this.elements = elements;
    }

    List<Fault> faults() {
        return faults;
    }

    /** The plug-in, or null if there are faults, or if the compiler itself reports one. */
    @Nullable Plugin read(TypeElement type) {
        Plugin plugin = readAll(type);
        if (isUnresolved) {
            faults.clear(); // they may follow from it
            return null;
        }
        return plugin;
    }

    private @Nullable Plugin readAll(TypeElement type) {
        Map<String, Object> words = annotation(type, PLUGIN);
        if (words == null || type.getKind() != ElementKind.INTERFACE) {
            fault(type, "Only an interface can be a plug-in.");
            return null;
        }
        int id = (int) words.getOrDefault("id", 0);
        String name = (String) words.getOrDefault("name", "");
        if (id < 1 || id > LARGEST_ID) {
            fault(type, "The number of a plug-in is 1 to 65535, and not " + id + ".");
        }
        if (!name.matches("[A-Za-z][A-Za-z0-9_-]*")) {
            fault(type, "The name of a plug-in begins with a letter, and not '" + name + "'.");
        }
        TypeElement lifecycle = elements.getTypeElement(LIFECYCLE);
        if (lifecycle == null || !types.isSubtype(type.asType(), lifecycle.asType())) {
            fault(type, "The interface of a plug-in extends PluginLifecycle.");
        }
        checkPlace(type);
        List<Function> functions = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (ExecutableElement method : ElementFilter.methodsIn(type.getEnclosedElements())) {
            if (method.getModifiers().contains(Modifier.ABSTRACT)) {
                if (!names.add(method.getSimpleName().toString())) {
                    fault(method, "There are two functions of this name.");
                }
                if (lifecycle != null && isOneOf(lifecycle, method, type)) {
                    fault(method, "The server calls the method of this name itself.");
                }
                Function function = function(type, method, functions.size());
                if (function != null) {
                    functions.add(function);
                }
            }
        }
        return faults.isEmpty() ? new Plugin(type, id, name, functions) : null;
    }

    private boolean isOneOf(TypeElement lifecycle, ExecutableElement method, TypeElement type) {
        return ElementFilter.methodsIn(lifecycle.getEnclosedElements()).stream()
                .anyMatch(each -> elements.overrides(method, each, type));
    }

    /** The classes that are written lie beside the interface, and have its own functions. */
    private void checkPlace(TypeElement type) {
        for (Element each = type; each != null; each = each.getEnclosingElement()) {
            if (each.getModifiers().contains(Modifier.PRIVATE)) {
                fault(type, "The interface of a plug-in is not private, nor in a private class.");
            }
        }
        for (ExecutableElement method : ElementFilter.methodsIn(elements.getAllMembers(type))) {
            if (method.getModifiers().contains(Modifier.ABSTRACT)
                    && !type.equals(method.getEnclosingElement())) {
                fault(
                        type,
                        "The function '"
                                + method.getSimpleName()
                                + "' of "
                                + method.getEnclosingElement()
                                + " must be in the interface of the plug-in itself.");
            }
        }
    }

    private @Nullable Function function(TypeElement type, ExecutableElement method, int number) {
        int before = faults.size();
        TypeMirror returned = method.getReturnType();
        Value.Primitive result = Value.Primitive.of(returned);
        if (result == null && returned.getKind() != TypeKind.VOID) {
            fault(method, "A forwarded function returns a number, a truth value, or nothing.");
        }
        if (method.isVarArgs() || !method.getTypeParameters().isEmpty()) {
            fault(method, "A forwarded function has no type parameters, and no '...'.");
        }
        if (!method.getThrownTypes().stream().allMatch(this::mayBeThrown)) {
            fault(method, "What a forwarded function throws is an Exception or an Error.");
        }
        List<Argument> raw = new ArrayList<>();
        for (VariableElement place : method.getParameters()) {
            Argument argument = argument(place);
            if (argument != null) {
                raw.add(argument);
            }
        }
        if (faults.size() > before) {
            return null;
        }
        List<Parameter> model =
                raw.stream()
                        .map(a -> new Parameter(a.name(), a.hints(), a.value().rules()))
                        .toList();
        for (Finding finding : HintRules.check(model)) {
            fault(raw.get(finding.parameter()).place(), finding.sentence());
        }
        if (faults.size() > before) {
            return null;
        }
        List<Argument> arguments = new ArrayList<>();
        for (int i = 0; i < raw.size(); i++) {
            Argument a = raw.get(i);
            int size = a.isArray() ? HintRules.sizeOf(model, i).orElse(-1) : -1;
            arguments.add(new Argument(a.place(), a.hints(), a.value(), a.isCell(), size));
        }
        arguments.forEach(argument -> checkForJava(type, method, arguments, argument));
        return faults.size() > before ? null : new Function(method, number, result, arguments);
    }

    /** Whether the dispatcher, which throws any Exception, can pass it on. */
    private boolean mayBeThrown(TypeMirror thrown) {
        return Stream.of("java.lang.Exception", "java.lang.Error")
                .map(elements::getTypeElement)
                .anyMatch(known -> types.isSubtype(thrown, known.asType()));
    }

    /** The rules that C has no words for. */
    private void checkForJava(
            TypeElement type,
            ExecutableElement method,
            List<Argument> arguments,
            Argument argument) {
        if (argument.isArray()) {
            Argument size = arguments.get(argument.size());
            if (argument.isTwoDimensional() && !(size.value() instanceof Value.Primitive)) {
                fault(argument.place(), "The sizes of an arr2d are an array of whole numbers.");
            }
        }
        if (argument.zeroCopy() && !(argument.value() instanceof Value.Memory)) {
            fault(argument.place(), "A zerocopy array is a MemorySegment, or an array of these.");
        }
        if (argument.userBuffer() && argument.goesIn() && !hasAllocator(type, method)) {
            fault(
                    argument.place(),
                    "A userbuf that goes in needs a method that brings its memory: default"
                            + " @Nullable MemorySegment "
                            + method.getSimpleName()
                            + ALLOCATE
                            + "(int bytes).");
        }
    }

    private static boolean hasAllocator(TypeElement type, ExecutableElement method) {
        String name = method.getSimpleName() + ALLOCATE;
        for (ExecutableElement each : ElementFilter.methodsIn(type.getEnclosedElements())) {
            if (each.getSimpleName().contentEquals(name)
                    && each.isDefault()
                    && each.getParameters().size() == 1
                    && each.getParameters().getFirst().asType().getKind() == TypeKind.INT
                    && isNamed(each.getReturnType(), MEMORY)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Argument argument(VariableElement place) {
        boolean in = annotation(place, FORWARD + "In") != null;
        boolean out = annotation(place, FORWARD + "Out") != null;
        boolean both = annotation(place, FORWARD + "InOut") != null;
        boolean nullOk = annotation(place, FORWARD + "NullOk") != null;
        Map<String, Object> sized = annotation(place, FORWARD + "Sized");
        if ((in ? 1 : 0) + (out ? 1 : 0) + (both ? 1 : 0) > 1) {
            fault(place, "A parameter has one direction: @In, @Out or @InOut.");
            return null;
        }
        int elementBytes = sized == null ? 1 : (int) sized.getOrDefault("elementBytes", 1);
        if (!ELEMENT_BYTES.contains(elementBytes)) {
            fault(place, "An element has 1, 2, 4 or 8 bytes, and not " + elementBytes + ".");
            return null;
        }
        Direction direction = out ? Direction.OUT : both ? Direction.INOUT : Direction.IN;
        Shaped shaped = shaped(place, in || nullOk, elementBytes);
        if (shaped == null) {
            return null;
        }
        if (elementBytes > 1 && !(shaped.value instanceof Value.Memory)) {
            fault(place, "elementBytes is for a MemorySegment only; an array knows its elements.");
            return null;
        }
        if (!shaped.isCell && !shaped.shape.isArray() && direction != Direction.IN) {
            String cell = shaped.value instanceof Value.Primitive p ? p.suffix() + "Cell" : "Cell";
            fault(place, "What comes out is an array or a cell: use " + cell + ".");
            return null;
        }
        Hints hints =
                new Hints(
                        direction,
                        shaped.shape,
                        sized == null ? null : String.valueOf(sized.get("value")),
                        nullOk,
                        annotation(place, FORWARD + "ZeroCopy") != null,
                        annotation(place, FORWARD + "UserBuffer") != null);
        return new Argument(place, hints, shaped.value, shaped.isCell, -1);
    }

    private @Nullable Shaped shaped(VariableElement place, boolean byAddress, int elementBytes) {
        TypeMirror type = place.asType();
        if (type instanceof ArrayType outer) {
            boolean two = outer.getComponentType() instanceof ArrayType;
            TypeMirror element =
                    two
                            ? ((ArrayType) outer.getComponentType()).getComponentType()
                            : outer.getComponentType();
            if (!two && isNamed(element, MEMORY)) {
                return new Shaped(Shape.ARR2D, new Value.Memory(elementBytes), false);
            }
            Value value = element instanceof ArrayType ? null : plain(element);
            if (value == null || value instanceof Value.Text) {
                fault(place, "An array of '" + element + "' cannot be forwarded.");
                return null;
            }
            return new Shaped(two ? Shape.ARR2D : Shape.ARR, value, false);
        }
        if (isNamed(type, MEMORY)) {
            return new Shaped(Shape.ARR, new Value.Memory(elementBytes), false);
        }
        Value.Primitive inCell = Value.Primitive.ofCell(qualifiedName(type));
        if (inCell != null) {
            return new Shaped(Shape.PTR, inCell, true);
        }
        boolean cell = isNamed(type, CELL);
        List<? extends TypeMirror> of = cell ? ((DeclaredType) type).getTypeArguments() : List.of();
        Value value = plain(cell && of.size() == 1 ? of.getFirst() : type);
        if (value == null || (cell && value instanceof Value.Primitive)) {
            fault(
                    place,
                    "'"
                            + type
                            + "' cannot be forwarded: use a primitive type, String, a record with"
                            + " @Shipped, a cell, MemorySegment, or an array.");
            return null;
        }
        Shape shape =
                value instanceof Value.Text
                        ? Shape.STR
                        : cell || (byAddress && value instanceof Value.Struct)
                                ? Shape.PTR
                                : Shape.OBJ;
        return new Shaped(shape, value, cell);
    }

    /** A value without any shape; null if there is no such value. */
    private @Nullable Value plain(TypeMirror type) {
        if (type.getKind().isPrimitive()) {
            return Value.Primitive.of(type);
        }
        if (isNamed(type, "java.lang.String")) {
            return new Value.Text();
        }
        if (type instanceof DeclaredType declared
                && declared.asElement() instanceof TypeElement element
                && element.getKind() == ElementKind.RECORD
                && annotation(element, SHIPPED) != null) {
            ClassName name = ClassName.get(element);
            String codec = String.join("_", name.simpleNames()) + "Codec";
            return new Value.Struct(name, ClassName.get(name.packageName(), codec));
        }
        return null;
    }

    private static boolean isNamed(TypeMirror type, String name) {
        return qualifiedName(type).equals(name);
    }

    private static String qualifiedName(TypeMirror type) {
        return type instanceof DeclaredType declared
                        && declared.asElement() instanceof TypeElement element
                ? element.getQualifiedName().toString()
                : "";
    }

    /** What an annotation says; null if it is not there. */
    private @Nullable Map<String, Object> annotation(Element place, String name) {
        for (AnnotationMirror mirror : place.getAnnotationMirrors()) {
            if (isNamed(mirror.getAnnotationType(), name)) {
                Map<String, Object> words = new HashMap<>();
                for (Map.Entry<? extends ExecutableElement, ? extends AnnotationValue> entry :
                        mirror.getElementValues().entrySet()) {
                    AnnotationValue word = entry.getValue();
                    if (word.toString().equals(UNRESOLVED)) {
                        isUnresolved = true;
                    } else {
                        words.put(entry.getKey().getSimpleName().toString(), word.getValue());
                    }
                }
                return words;
            }
        }
        return null;
    }

    private void fault(Element place, String sentence) {
        faults.add(new Fault(sentence, place));
    }
}
