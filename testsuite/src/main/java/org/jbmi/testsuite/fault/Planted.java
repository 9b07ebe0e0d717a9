package org.jbmi.testsuite.fault;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A fault planted into a class by rewriting its code when a {@link PlantingLoader} loads it, to see
 * whether tests find it. The class itself has no switch for it.
 *
 * @param name what it is called
 * @param type the class, by its full name
 * @param method the method
 * @param skipped a method that is not called there any more; empty: the whole body goes
 * @param result what takes the place of what is skipped, if it is a number or a boolean; the delay
 *     of a slow method
 * @param kind what is done to the method
 */
public record Planted(
        String name, String type, String method, String skipped, int result, Kind kind) {
    /** What is done to a method. */
    public enum Kind {
        /** Its body goes, or a call in it. */
        LEFT_OUT,
        /** It sleeps first. */
        SLOW,
        /** A call in it is made twice. */
        TWICE
    }

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
        return new Planted(name, type, method, "", result, Kind.LEFT_OUT);
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
        return new Planted(name, type, method, skipped, result, Kind.LEFT_OUT);
    }

    /**
     * A method that takes longer.
     *
     * @param name what it is called
     * @param type the class, by its full name
     * @param method the method
     * @param delayMs how long it sleeps before it does its work
     * @return to be planted
     */
    public static Planted slow(String name, String type, String method, int delayMs) {
        return new Planted(name, type, method, "", delayMs, Kind.SLOW);
    }

    /**
     * A method in which a call of a method without parameters and result is made twice.
     *
     * @param name what it is called
     * @param type the class, by its full name
     * @param method the method
     * @param doubled what is called twice
     * @return to be planted
     */
    public static Planted twice(String name, String type, String method, String doubled) {
        return new Planted(name, type, method, doubled, 0, Kind.TWICE);
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
                        if (kind == Kind.SLOW) {
                            planted[0] = true;
                            to.transformMethod(
                                    found, MethodTransform.transformingCode(sleepingFirst()));
                        } else if (skipped.isEmpty()) {
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
                if (kind == Kind.TWICE) {
                    to.dup();
                    to.with(element);
                    to.with(element);
                } else {
                    drop(to, invoke);
                    push(to, TypeKind.from(invoke.typeSymbol().returnType()));
                }
            } else {
                to.with(element);
            }
        };
    }

    private CodeTransform sleepingFirst() {
        return CodeTransform.ofStateful(
                () ->
                        new CodeTransform() {
                            @Override
                            public void atStart(CodeBuilder to) {
                                to.loadConstant(TimeUnit.MILLISECONDS.toNanos(result));
                                to.invokestatic(
                                        ClassDesc.of(LockSupport.class.getName()),
                                        "parkNanos",
                                        MethodTypeDesc.of(
                                                ConstantDescs.CD_void, ConstantDescs.CD_long));
                            }

                            @Override
                            public void accept(CodeBuilder to, CodeElement element) {
                                to.with(element);
                            }
                        });
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
