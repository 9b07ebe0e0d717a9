package org.jbmi.shipper.processor.model;

/** The numbers of a fixed width, and the truth value. */
public enum Scalar implements Shape {
    /** One byte, 0 or 1. */
    BOOLEAN("boolean", "bool", 1),
    /** 8 bits with a sign. */
    BYTE("byte", "i8", 1),
    /** 16 bits with a sign. */
    SHORT("short", "i16", 2),
    /** 32 bits with a sign. */
    INT("int", "i32", 4),
    /** 64 bits with a sign. */
    LONG("long", "i64", 8),
    /** IEEE 754, 32 bits. */
    FLOAT("float", "f32", 4),
    /** IEEE 754, 64 bits. */
    DOUBLE("double", "f64", 8);

    private final String javaName;
    private final String signature;
    private final int bytes;

    Scalar(String javaName, String signature, int bytes) {
        this.javaName = javaName;
        this.signature = signature;
        this.bytes = bytes;
    }

    /**
     * Finds a scalar by its name in Java.
     *
     * @param javaName for example {@code "int"}
     * @return the scalar
     * @throws IllegalArgumentException if there is none of that name
     */
    public static Scalar ofJavaName(String javaName) {
        for (Scalar scalar : values()) {
            if (scalar.javaName.equals(javaName)) {
                return scalar;
            }
        }
        throw new IllegalArgumentException(javaName + " is no scalar.");
    }

    /**
     * Its name in Java.
     *
     * @return for example {@code "int"}
     */
    public String javaName() {
        return javaName;
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
