package org.jbmi.zoid.processor.plugin;

import com.palantir.javapoet.CodeBlock;

import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import javax.lang.model.element.ExecutableElement;

/**
 * A forwarded function.
 *
 * @param method its method
 * @param number its place in the interface
 * @param result what it returns, null for nothing
 * @param arguments its parameters, in order
 */
record Function(
        ExecutableElement method,
        int number,
        Value.@Nullable Primitive result,
        List<Argument> arguments) {
    String name() {
        return method.getSimpleName().toString();
    }

    /** A name for a local variable that no parameter has. */
    String local(String wanted) {
        Set<String> taken = new HashSet<>();
        arguments.forEach(argument -> taken.add(argument.name()));
        String name = wanted;
        for (int i = 2; taken.contains(name); i++) {
            name = wanted + i;
        }
        return name;
    }

    /** What both sides must agree on, as an expression. */
    CodeBlock signature() {
        CodeBlock.Builder code = CodeBlock.builder();
        StringBuilder text = new StringBuilder(name()).append('(');
        String separator = "";
        for (Argument argument : arguments) {
            text.append(separator);
            separator = ",";
            text.append(lower(argument.hints().direction())).append(':');
            text.append(lower(argument.hints().shape()));
            if (argument.isArray()) {
                text.append('[').append(argument.size() + 1).append(']');
            }
            text.append(argument.nullOk() ? ":nullok" : "");
            text.append(argument.zeroCopy() ? ":zerocopy" : "");
            text.append(argument.userBuffer() ? ":userbuf" : "");
            text.append(':');
            switch (argument.value()) {
                case Value.Primitive primitive -> text.append(primitive.plain().signature());
                case Value.Text _ -> text.append("str");
                case Value.Memory memory -> text.append("m").append(memory.elementBytes() * 8);
                case Value.Struct struct -> {
                    code.add("$S + $T.INSTANCE.signature() + ", text.toString(), struct.codec());
                    text.setLength(0);
                }
            }
        }
        text.append("):").append(result == null ? "void" : result.plain().signature());
        return code.add("$S", text.toString()).build();
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
