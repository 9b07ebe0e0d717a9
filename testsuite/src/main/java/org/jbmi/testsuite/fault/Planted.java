package org.jbmi.testsuite.fault;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.MethodTypeDesc;

/**
 * A fault planted into a class by rewriting its code when a {@link PlantingLoader} loads it, to see
 * whether tests find it. The class itself has no switch for it.
 *
 * @param name what it is called
 * @param type the class, by its full name
 * @param method the method
 * @param skipped a method that is not called there any more; empty: the whole body goes
 * @param result what takes the place of what is skipped, if it is a number or a boolean
 */
public record Planted(String name, String type, String method, String skipped, int result) {
    /**
     * A method that does nothing, or always returns the same.
     *
     * @param name what it is called
     * @param type the class, by its full name
     * @param method the method
     * @param result what it returns, if that is a number or a boolean
     * @return to be planted
     */
    public static Planted body(String name, String type, String method, int result) {
        return new Planted(name, type, method, "", result);
    }

    /**
     * A method in which a call is left out.
     *
     * @param name what it is called
     * @param type the class, by its full name
     * @param method the method
     * @param skipped what is not called there any more
     * @param result what takes the place of its result, if that is a number or a boolean
     * @return to be planted
     */
    public static Planted call(
            String name, String type, String method, String skipped, int result) {
        return new Planted(name, type, method, skipped, result);
    }

    @Override
    public String toString() {
        return name;
    }

    /** The class with the fault in it. */
    byte[] plant(byte[] code) {
        boolean[] planted = new boolean[1];
        ClassFile classFile = ClassFile.of();
        ClassTransform transform =
                (to, element) -> {
                    if (element instanceof MethodModel found
                            && found.methodName().equalsString(method)
                            && found.code().isPresent()) {
                        if (skipped.isEmpty()) {
                            planted[0] = true;
                            to.withMethodBody(
                                    found.methodName(),
                                    found.methodType(),
                                    found.flags().flagsMask(),
                                    body -> returnAtOnce(body, found.methodTypeSymbol()));
                        } else {
                            to.transformMethod(
                                    found, MethodTransform.transformingCode(skipping(planted)));
                        }
                    } else {
                        to.with(element);
                    }
                };
        byte[] changed = classFile.transformClass(classFile.parse(code), transform);
        if (!planted[0]) {
            throw new IllegalStateException("There is no place for \"" + name + "\"");
        }
        return changed;
    }

    private void returnAtOnce(CodeBuilder to, MethodTypeDesc type) {
        TypeKind kind = TypeKind.from(type.returnType());
        push(to, kind);
        to.return_(kind);
    }

    private CodeTransform skipping(boolean[] planted) {
        return (to, element) -> {
            if (element instanceof InvokeInstruction invoke
                    && invoke.name().equalsString(skipped)) {
                planted[0] = true;
                drop(to, invoke);
                push(to, TypeKind.from(invoke.typeSymbol().returnType()));
            } else {
                to.with(element);
            }
        };
    }

    private static void drop(CodeBuilder to, InvokeInstruction invoke) {
        MethodTypeDesc type = invoke.typeSymbol();
        for (int i = type.parameterCount() - 1; i >= 0; i--) {
            if (TypeKind.from(type.parameterType(i)).slotSize() == 2) {
                to.pop2();
            } else {
                to.pop();
            }
        }
        if (invoke.opcode() != Opcode.INVOKESTATIC) {
            to.pop();
        }
    }

    private void push(CodeBuilder to, TypeKind kind) {
        switch (kind) {
            case VOID -> {}
            case LONG -> to.loadConstant((long) result);
            case REFERENCE -> to.aconst_null();
            default -> to.loadConstant(result);
        }
    }
}
