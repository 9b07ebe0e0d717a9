package org.jbmi.architecture;

import java.lang.constant.ConstantDesc;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Says of a value whether anything that it holds can change. */
final class Immutability {

    private static final Set<Class<?>> IMMUTABLE =
            Set.of(
                    Boolean.class,
                    Byte.class,
                    Character.class,
                    Short.class,
                    Integer.class,
                    Long.class,
                    Float.class,
                    Double.class,
                    String.class,
                    Class.class,
                    BigInteger.class,
                    DateTimeFormatter.class,
                    BigDecimal.class,
                    Locale.class,
                    Pattern.class,
                    UUID.class,
                    ByteOrder.class);

    /** Their implementations are the JDK's and cannot be changed from outside. */
    private static final List<Class<?>> IMMUTABLE_SUPERTYPES =
            List.of(
                    ConstantDesc.class,
                    VarHandle.class,
                    MethodHandle.class,
                    MethodType.class,
                    System.Logger.class,
                    MemoryLayout.class,
                    FunctionDescriptor.class,
                    Linker.class,
                    Linker.Option.class,
                    Charset.class,
                    Path.class,
                    FileAttribute.class);

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private Immutability() {}

    /** Null if nothing in the value can change, else what can. */
    static String fault(Object value) {
        return new Immutability().check(value);
    }

    private String check(Object value) {
        if (value == null || !seen.add(value)) {
            return null;
        }
        Class<?> type = value.getClass();
        if (IMMUTABLE.contains(type)
                || type.getPackageName().equals("java.time")
                || (value instanceof Enum && isJdk(type))
                || IMMUTABLE_SUPERTYPES.stream().anyMatch(known -> known.isInstance(value))) {
            return null;
        }
        if (type.isArray()) {
            return Array.getLength(value) == 0 ? null : "holds an array";
        }
        return switch (value) {
            case MemorySegment segment ->
                    segment.isReadOnly() || segment.byteSize() == 0
                            ? null
                            : "holds writable memory";
            case Optional<?> optional -> check(optional.orElse(null));
            case Map<?, ?> map when isUnmodifiable(type) -> firstFault(map.keySet(), map.values());
            case Collection<?> collection when isUnmodifiable(type) -> firstFault(collection);
            default -> isJdk(type) ? "holds a " + type.getName() : checkFields(value, type);
        };
    }

    private static boolean isUnmodifiable(Class<?> type) {
        String name = type.getName();
        return name.startsWith("java.util.ImmutableCollections$")
                || name.startsWith("java.util.Collections$Unmodifiable")
                || name.startsWith("java.util.Collections$Empty")
                || name.startsWith("java.util.Collections$Singleton");
    }

    private static boolean isJdk(Class<?> type) {
        return type.getClassLoader() == null
                || type.getClassLoader() == ClassLoader.getPlatformClassLoader();
    }

    private String firstFault(Collection<?>... collections) {
        for (Collection<?> collection : collections) {
            for (Object element : collection) {
                String fault = check(element);
                if (fault != null) {
                    return fault;
                }
            }
        }
        return null;
    }

    /** Ours or a library's: each field final, and immutable in turn. Lambdas pass through here. */
    private String checkFields(Object value, Class<?> type) {
        for (Class<?> level = type; level != null && !isJdk(level); level = level.getSuperclass()) {
            for (Field field : level.getDeclaredFields()) {
                String fault = Modifier.isStatic(field.getModifiers()) ? null : check(value, field);
                if (fault != null) {
                    return fault;
                }
            }
        }
        return null;
    }

    private String check(Object owner, Field field) {
        if (!Modifier.isFinal(field.getModifiers())) {
            return "holds " + field + ", which is not final";
        }
        try {
            field.setAccessible(true);
            return field.getType().isPrimitive() ? null : check(field.get(owner));
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
