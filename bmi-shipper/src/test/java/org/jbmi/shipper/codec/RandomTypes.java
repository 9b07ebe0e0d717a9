package org.jbmi.shipper.codec;

import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Makes sources of random records, and random values of what was compiled from them. */
final class RandomTypes {
    private static final List<String> PRIMITIVES =
            List.of("int", "long", "short", "byte", "float", "double", "boolean");
    private static final List<String> BOXES =
            List.of("Integer", "Long", "Short", "Byte", "Float", "Double", "Boolean");
    private static final int DEPTH = 3;

    private final SplittableRandom random;

    RandomTypes(SplittableRandom random) {
        this.random = random;
    }

    /** Record {@code number}; its components may be records with lower numbers. */
    String source(int number) {
        StringBuilder components = new StringBuilder();
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            components.append(i == 0 ? "" : ", ").append(type(number, DEPTH, false));
            components.append(i == 3 ? " value" : " c" + i);
        }
        return """
        package demo;
        import org.jbmi.shipper.codec.*;
        import java.util.*;
        @Shipped public record R%d(%s) { public enum E { A, B, C } }
        """
                .formatted(number, components);
    }

    private String type(int number, int depth, boolean boxed) {
        return switch (random.nextInt(depth == 0 ? 5 : 8)) {
            case 0, 1 -> boxed ? BOXES.get(random.nextInt(7)) : PRIMITIVES.get(random.nextInt(7));
            case 2 -> "String";
            case 3 -> random.nextBoolean() ? "BulkHandle" : "R" + number + ".E";
            case 4 -> number == 0 ? "byte[]" : "R" + random.nextInt(number);
            case 5 -> "byte[]";
            case 6 -> "List<" + type(number, depth - 1, true) + ">";
            default -> "Optional<" + type(number, depth - 1, true) + ">";
        };
    }

    Object value(Type type, int depth) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType generic) {
            Type element = generic.getActualTypeArguments()[0];
            if (generic.getRawType() == Optional.class) {
                return random.nextBoolean() ? Optional.empty() : Optional.of(value(element, depth));
            }
            List<Object> list = new ArrayList<>();
            for (int i = random.nextInt(depth > 2 ? 2 : 4); i > 0; i--) {
                list.add(value(element, depth + 1));
            }
            return list;
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isEnum()) {
            return plain.getEnumConstants()[random.nextInt(plain.getEnumConstants().length)];
        }
        return plain.isRecord() ? recordOf(plain, depth) : simple(plain);
    }

    private Object recordOf(Class<?> type, int depth) throws ReflectiveOperationException {
        RecordComponent[] components = type.getRecordComponents();
        Object[] arguments = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            arguments[i] = value(components[i].getGenericType(), depth + 1);
            types[i] = components[i].getType();
        }
        Constructor<?> constructor = type.getDeclaredConstructor(types);
        return constructor.newInstance(arguments);
    }

    private Object simple(Class<?> type) {
        long bits = random.nextBoolean() ? random.nextLong() : random.nextLong(-3, 3);
        return switch (type.getSimpleName()) {
            case "int", "Integer" -> (int) bits;
            case "long", "Long" -> bits;
            case "short", "Short" -> (short) bits;
            case "byte", "Byte" -> (byte) bits;
            case "float", "Float" -> Float.intBitsToFloat((int) bits);
            case "double", "Double" -> Double.longBitsToDouble(bits);
            case "boolean", "Boolean" -> bits > 0;
            case "String" -> text();
            case "byte[]" -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                yield bytes;
            }
            case "BulkHandle" ->
                    new BulkHandle(
                            new BulkHandle.Token(bits, random.nextLong()),
                            new BulkHandle.Token(random.nextLong(), random.nextLong()),
                            bits,
                            random.nextLong(Long.MAX_VALUE),
                            Permission.values()[random.nextInt(3)]);
            default -> throw new AssertionError(type);
        };
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            int c = random.nextInt(Character.MAX_CODE_POINT + 1);
            text.appendCodePoint(c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
        }
        return text.toString();
    }

    /** Equal down to the bits of floating-point numbers and the bytes of arrays. */
    static boolean isEqual(Object left, Object right) throws IllegalStateException {
        if (left instanceof byte[] a && right instanceof byte[] b) {
            return Arrays.equals(a, b);
        }
        if (left instanceof Float a && right instanceof Float b) {
            return Float.floatToRawIntBits(a) == Float.floatToRawIntBits(b);
        }
        if (left instanceof Double a && right instanceof Double b) {
            return Double.doubleToRawLongBits(a) == Double.doubleToRawLongBits(b);
        }
        if (left instanceof List<?> a && right instanceof List<?> b) {
            boolean equal = a.size() == b.size();
            for (int i = 0; equal && i < a.size(); i++) {
                equal = isEqual(a.get(i), b.get(i));
            }
            return equal;
        }
        if (left instanceof Optional<?> a && right instanceof Optional<?> b) {
            return a.isPresent() == b.isPresent() && (a.isEmpty() || isEqual(a.get(), b.get()));
        }
        return left instanceof Record ? areComponentsEqual(left, right) : left.equals(right);
    }

    private static boolean areComponentsEqual(Object left, Object right) {
        try {
            for (RecordComponent component : left.getClass().getRecordComponents()) {
                if (!isEqual(
                        component.getAccessor().invoke(left),
                        component.getAccessor().invoke(right))) {
                    return false;
                }
            }
            return left.getClass() == right.getClass();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
