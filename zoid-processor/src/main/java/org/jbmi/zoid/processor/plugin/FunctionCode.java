package org.jbmi.zoid.processor.plugin;

import com.palantir.javapoet.CodeBlock;

import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** The body of a method for a function, while it is written: what both sides write alike. */
abstract class FunctionCode {
    final Function function;
    final CodeBlock.Builder code = CodeBlock.builder();

    /** The variable with the call. */
    final String call;

    FunctionCode(Function function) {
        this.function = function;
        this.call = function.local("call");
    }

    /** Writes a part, under a condition or always. */
    final void when(boolean isConditional, CodeBlock condition, Runnable part) {
        if (isConditional) {
            code.beginControlFlow("if ($L)", condition);
        }
        part.run();
        if (isConditional) {
            code.endControlFlow();
        }
    }

    /** Writes a loop over an array; the part gets the name of the index. */
    final void each(String array, Consumer<String> part) {
        String i = function.local("i");
        code.beginControlFlow("for (int $1N = 0; $1N < $2N.length; $1N++)", i, array);
        part.accept(i);
        code.endControlFlow();
    }

    static CodeBlock named(String name) {
        return CodeBlock.of("$N", name);
    }

    static CodeBlock at(String array, String index) {
        return CodeBlock.of("$N[$N]", array, index);
    }

    static CodeBlock isThere(Argument argument) {
        return CodeBlock.of("$N != null", argument.name());
    }

    // ------------------------------------------------------------------ sizes

    /** The arrays; those that others have their sizes from come first. */
    final List<Argument> arrays() {
        return function.arguments().stream()
                .filter(Argument::isArray)
                .sorted(Comparator.comparing(Argument::isTwoDimensional))
                .toList();
    }

    /** The size parameter of an array. */
    final Argument sizeOf(Argument array) {
        return function.arguments().get(array.size());
    }

    /** What the size parameter of an array says now. */
    final CodeBlock size(Argument array) {
        Argument size = sizeOf(array);
        return CodeBlock.of(size.isCell() ? "$N.get()" : "$N", size.name());
    }

    /** The local variable with the size of an array, or with the sizes of inner ones. */
    final String countOf(Argument array) {
        return function.local(array.name() + (array.isTwoDimensional() ? "Sizes" : "Count"));
    }

    /** Declares that variable, with a value that the part sets if the array may be missing. */
    final void declare(Argument array, CodeBlock isThere, Consumer<CodeBlock> part) {
        String type = array.isTwoDimensional() ? "long[]" : "long";
        CodeBlock declared = CodeBlock.of("$L $N", type, countOf(array));
        if (array.nullOk()) { // no element of it travels, whatever its size parameter says
            code.addStatement("$L = $L", declared, array.isTwoDimensional() ? "{}" : "0");
        }
        CodeBlock target = array.nullOk() ? named(countOf(array)) : declared;
        when(array.nullOk(), isThere, () -> part.accept(target));
    }

    /** How many bytes so many elements of an array have. */
    static CodeBlock bytes(Argument array, CodeBlock count) {
        return array.elementBytes() == 1
                ? count
                : CodeBlock.of("$L * $L", count, array.elementBytes());
    }

    // ------------------------------------------------------------------ values

    /** Writes the elements of an array. */
    final void elements(Argument array, CodeBlock values, CodeBlock count) {
        switch (array.value()) {
            case Value.Primitive _ -> code.addStatement("$N.putArray($L, $L)", call, values, count);
            case Value.Struct struct ->
                    code.addStatement(
                            "$N.putRecords($T.INSTANCE, $L, $L)",
                            call,
                            struct.codec(),
                            values,
                            count);
            case Value.Memory _ ->
                    code.addStatement("$N.putMemory($L, $L)", call, values, bytes(array, count));
            case Value.Text _ -> throw new IllegalStateException("no array of texts");
        }
    }

    /** Writes a value. */
    final void put(Value kind, CodeBlock value) {
        switch (kind) {
            case Value.Primitive primitive ->
                    code.addStatement(
                            "$N.out($L).put$L($L)",
                            call,
                            primitive.bytes(),
                            primitive.suffix(),
                            value);
            case Value.Text _ -> code.addStatement("$N.putString($L)", call, value);
            case Value.Struct struct ->
                    code.addStatement("$N.put($T.INSTANCE, $L)", call, struct.codec(), value);
            case Value.Memory _ -> throw new IllegalStateException("memory is an array");
        }
    }

    /** Writes the value of a cell, which may have none if it is no primitive one. */
    final void putCell(Argument cell) {
        CodeBlock value = CodeBlock.of("$N.get()", cell.name());
        when(
                !(cell.value() instanceof Value.Primitive),
                CodeBlock.of("$N.putPresence($L)", call, value),
                () -> put(cell.value(), value));
    }

    /** The expression that reads a value. */
    final CodeBlock got(Value value) {
        return switch (value) {
            case Value.Primitive primitive ->
                    CodeBlock.of("$N.in().get$L()", call, primitive.suffix());
            case Value.Text _ -> CodeBlock.of("$N.in().getString()", call);
            case Value.Struct struct ->
                    CodeBlock.of("$T.INSTANCE.decode($N.in())", struct.codec(), call);
            case Value.Memory _ -> CodeBlock.of("$N.getMemory()", call);
        };
    }
}
