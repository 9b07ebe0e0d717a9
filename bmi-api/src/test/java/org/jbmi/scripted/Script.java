package org.jbmi.scripted;

import org.jbmi.CancelOutcome;
import org.jbmi.spi.Operation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** What a test wants of the methods of one instance; handed to it as an attachment. */
public final class Script {
    /** What a post does. */
    @FunctionalInterface
    public interface PostRule {
        /** Answers as {@link org.jbmi.spi.Method#post}. */
        long post(ScriptedMethod method, Operation operation);
    }

    /** What a cancel does. */
    @FunctionalInterface
    public interface CancelRule {
        /** Answers as {@link org.jbmi.spi.Method#cancel}. */
        CancelOutcome cancel(ScriptedMethod method, Operation operation, long id, int code);
    }

    private final Map<String, ScriptedMethod> methods = new ConcurrentHashMap<>();

    /** Keeps every operation until the test completes it. */
    public volatile PostRule rule = ScriptedMethod::hold;

    /** Ends an operation that is held. */
    public volatile CancelRule cancelRule = ScriptedMethod::withdraw;

    /** Runs while a method is being opened, before the core knows it; may throw, or take time. */
    public volatile Consumer<ScriptedMethod> onOpen = method -> {};

    void opened(ScriptedMethod method) {
        methods.put(method.scheme(), method);
    }

    /** The method of a scheme; it must be open. */
    public ScriptedMethod method(String scheme) {
        ScriptedMethod method = methods.get(scheme);
        if (method == null) {
            throw new AssertionError("The method " + scheme + " was not opened.");
        }
        return method;
    }

    /** The method of scheme "test". */
    public ScriptedMethod test() {
        return method("test");
    }

    /** Whether a method of this scheme was opened. */
    public boolean isOpen(String scheme) {
        return methods.containsKey(scheme);
    }
}
