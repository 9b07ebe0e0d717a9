package org.jbmi.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Gives a class the handles of its own fields. */
public final class VarHandles {
    private VarHandles() {}

    /**
     * A handle for a constant of the class that has the field.
     *
     * @param lookup of the class that asks
     * @param owner the class with the field
     * @param name of the field
     * @param type of the field
     * @return the handle
     * @throws ExceptionInInitializerError if there is no such field
     */
    public static VarHandle of(
            MethodHandles.Lookup lookup, Class<?> owner, String name, Class<?> type) {
        try {
            return lookup.findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
