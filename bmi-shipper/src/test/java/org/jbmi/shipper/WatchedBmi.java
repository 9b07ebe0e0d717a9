package org.jbmi.shipper;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/** A real instance that tells what its contexts are asked for, in the thread that asks. */
public final class WatchedBmi {
    private static final Consumer<String> NOBODY = what -> {};

    private WatchedBmi() {}

    /**
     * Tells before it does it.
     *
     * @param bmi what does the work
     * @param told hears what each context is asked for, for example "testContext(10)"
     * @return an instance that is the same in all else
     */
    public static Bmi before(Bmi bmi, Consumer<String> told) {
        return watched(bmi, told, NOBODY);
    }

    /**
     * Tells when it was done.
     *
     * @param bmi what does the work
     * @param told hears what each context is asked for, for example "testContext(10)"
     * @return an instance that is the same in all else
     */
    public static Bmi after(Bmi bmi, Consumer<String> told) {
        return watched(bmi, NOBODY, told);
    }

    private static Bmi watched(Bmi bmi, Consumer<String> before, Consumer<String> after) {
        return (Bmi)
                Proxy.newProxyInstance(
                        Bmi.class.getClassLoader(),
                        new Class<?>[] {Bmi.class},
                        (self, method, arguments) -> {
                            Object result = invoke(method, bmi, arguments);
                            return result instanceof CompletionContext context
                                    ? watched(context, before, after)
                                    : result;
                        });
    }

    private static CompletionContext watched(
            CompletionContext context, Consumer<String> before, Consumer<String> after) {
        return (CompletionContext)
                Proxy.newProxyInstance(
                        CompletionContext.class.getClassLoader(),
                        new Class<?>[] {CompletionContext.class},
                        (self, method, arguments) -> {
                            String what = words(method, arguments);
                            before.accept(what);
                            Object result = invoke(method, context, arguments);
                            after.accept(what);
                            return result;
                        });
    }

    /** The name, and of what may wait also for how many milliseconds. */
    private static String words(Method method, Object[] arguments) {
        String name = method.getName();
        return name.startsWith("test")
                ? "%s(%s)".formatted(name, arguments[arguments.length - 1])
                : name;
    }

    private static Object invoke(Method method, Object target, Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
