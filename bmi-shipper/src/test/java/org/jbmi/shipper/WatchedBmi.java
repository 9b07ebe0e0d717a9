package org.jbmi.shipper;

import org.jbmi.Bmi;
import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.UnexpectedListener;

import java.lang.reflect.InvocationHandler;
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

    /**
     * Cancels nothing, as if the peer of each operation stood still while it moves the bytes.
     *
     * @param bmi what does the work
     * @return an instance that is the same in all else
     */
    static Bmi withoutCancels(Bmi bmi) {
        return with(
                bmi,
                CompletionContext.class,
                (context, method, arguments) ->
                        method.getName().equals("cancel")
                                ? CancelOutcome.REQUESTED
                                : invoke(method, context, arguments));
    }

    /**
     * Does something before its listeners are asked for messages.
     *
     * @param bmi what does the work
     * @param action may throw, and then the listener is not asked
     * @return an instance that is the same in all else
     */
    static Bmi beforeListening(Bmi bmi, Runnable action) {
        return with(
                bmi,
                UnexpectedListener.class,
                (listener, method, arguments) -> {
                    if (method.getName().equals("test")) {
                        action.run();
                    }
                    return invoke(method, listener, arguments);
                });
    }

    /**
     * Does something before memory is freed.
     *
     * @param bmi what does the work
     * @param action may throw, and then the memory is not freed
     * @return an instance that is the same in all else
     */
    static Bmi beforeFree(Bmi bmi, Runnable action) {
        return proxy(
                Bmi.class,
                (self, method, arguments) -> {
                    if (method.getName().equals("free")) {
                        action.run();
                    }
                    return invoke(method, bmi, arguments);
                });
    }

    private static Bmi watched(Bmi bmi, Consumer<String> before, Consumer<String> after) {
        return with(
                bmi,
                CompletionContext.class,
                (context, method, arguments) -> {
                    String what = words(method, arguments);
                    before.accept(what);
                    Object result = invoke(method, context, arguments);
                    after.accept(what);
                    return result;
                });
    }

    /** An instance whose objects of a type hand their calls to a handler, with the real object. */
    private static <T> Bmi with(Bmi bmi, Class<T> type, InvocationHandler handler) {
        return proxy(
                Bmi.class,
                (self, method, arguments) -> {
                    Object result = invoke(method, bmi, arguments);
                    return type.isInstance(result)
                            ? proxy(type, (proxy, asked, of) -> handler.invoke(result, asked, of))
                            : result;
                });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
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
