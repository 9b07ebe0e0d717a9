package org.jbmi.shipper.codec;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.lang.reflect.Field;

/** Finds generated codecs by their names. */
final class GeneratedCodecs {
    private GeneratedCodecs() {}

    static <T> Codec<T> find(Class<T> record) {
        String name = codecName(record);
        try {
            Class<?> type = Class.forName(name, true, record.getClassLoader());
            Field instance = type.getField("INSTANCE");
            instance.setAccessible(true);
            @SuppressWarnings("unchecked") // generated for this very record
            Codec<T> codec = (Codec<T>) instance.get(null);
            return codec;
        } catch (ClassNotFoundException e) {
            throw new BmiException(
                    ErrorCode.ENOSYS,
                    "There is no "
                            + name
                            + ": mark "
                            + record.getName()
                            + " with @Shipped, and compile it with bmi-shipper-processor among the"
                            + " annotation processors.",
                    e);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new BmiException(
                    ErrorCode.ENOSYS,
                    name
                            + " cannot be used: in a named module open its package to"
                            + " org.jbmi.shipper, or hand over its INSTANCE.",
                    e);
        }
    }

    private static String codecName(Class<?> record) {
        String simpleNames = record.getSimpleName();
        for (Class<?> at = record.getEnclosingClass(); at != null; at = at.getEnclosingClass()) {
            simpleNames = at.getSimpleName() + "_" + simpleNames;
        }
        String packageName = record.getPackageName();
        return (packageName.isEmpty() ? "" : packageName + ".") + simpleNames + "Codec";
    }
}
