package org.jbmi.shipper.processor.model;

import org.jspecify.annotations.Nullable;

/** The shapes of values without parts: scalars, texts, bytes and handles. */
public enum Plain implements Shape {
    /** One byte, 0 or 1. */
    BOOLEAN(boolean.class, "Boolean", "bool", 1),
    /** 8 bits with a sign. */
    BYTE(byte.class, "Byte", "i8", 1),
    /** 16 bits with a sign. */
    SHORT(short.class, "Short", "i16", 2),
    /** 32 bits with a sign. */
    INT(int.class, "Int", "i32", 4),
    /** 64 bits with a sign. */
    LONG(long.class, "Long", "i64", 8),
    /** IEEE 754, 32 bits. */
    FLOAT(float.class, "Float", "f32", 4),
    /** IEEE 754, 64 bits. */
    DOUBLE(double.class, "Double", "f64", 8),
    /** A count of bytes, and the text in UTF-8. */
    TEXT(String.class, "String", "str", COUNT_BYTES),
    /** The count of the bytes, then the bytes. */
    BYTES(byte[].class, "Bytes", "bytes", COUNT_BYTES),
    /** The handle of exposed memory, whose class the processor does not know. */
    BULK(null, "Handle", "bulk", 56);

    private final @Nullable Class<?> type;
    private final String suffix;
    private final String signature;
    private final int bytes;

    Plain(@Nullable Class<?> type, String suffix, String signature, int bytes) {
        this.type = type;
        this.suffix = suffix;
        this.signature = signature;
        this.bytes = bytes;
    }

    /**
     * Its type in Java.
     *
     * @return null for a handle
     */
    public @Nullable Class<?> type() {
        return type;
    }

    /**
     * What the methods that put and get it are named after.
     *
     * @return for example {@code "Int"}
     */
    public String suffix() {
        return suffix;
    }

    @Override
    public String signature() {
        return signature;
    }

    @Override
    public int minBytes() {
        return bytes;
    }
}
