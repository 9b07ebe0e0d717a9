package org.jbmi.testsuite.fault;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LocalVariable;
import java.lang.classfile.instruction.LocalVariableType;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A fault planted into a class by rewriting its code when a {@link PlantingLoader} loads it, to see
 * whether tests find it. The class itself has no switch for it.
 *
 * @param name what it is called
 * @param type the class, by its full name
 * @param method the method
 * @param skipped a method that is not called there any more, or is called first, or a field that is
 *     not read; empty: the whole body
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
        TWICE,
        /** It calls another method of its object first. */
        FIRST,
        /** It does not look at a field. */
        UNREAD,
        /** An exception passes through it: none of its catch and finally blocks runs then. */
        UNCAUGHT
    }

    /**
     * A method that does nothing, or always returns the same.
     *
     * @param name what it is called
     * @param type the class, by its full name
     * @param method the method
     * @param result what it returns, if that is a number or a boolean
     * @return the fault, not yet in any class
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
     * @return the fault, not yet in any class
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
     * @return the fault, not yet in any class
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
     * @return the fault, not yet in any class
     */
    public static Planted twice(String name, String type, String method, String doubled) {
        return new Planted(name, type, method, doubled, 0, Kind.TWICE);
    }

    /**
     * A method that first does the work of another one of the same object.
     *
     * @param name what it is called
     * @param type the class, by its full name
     * @param method the method
     * @param called what it calls first, without parameters
     * @return the fault, not yet in any class
     */
    public static Planted first(String name, String type, String method, String called) {
        return new Planted(name, type, method, called, 0, Kind.FIRST);
    }

    /**
     * A method that does not look at a field.
     *
     * @param name what it is called
     * @param type the class, by its full name
     * @param method the method
     * @param field a field that is read there, of any object or class; a number or a boolean
     * @param result what is taken for its value
     * @return the fault, not yet in any class
     */
    public static Planted unread(
            String name, String type, String method, String field, int result) {
        return new Planted(name, type, method, field, result, Kind.UNREAD);
    }

    /**
     * A method through which exceptions pass: none of its catch and finally blocks runs then.
     *
     * @param name what it is called
     * @param type the class, by its full name
     * @param method the method
     * @return the fault, not yet in any class
     */
    public static Planted uncaught(String name, String type, String method) {
        return new Planted(name, type, method, "", 0, Kind.UNCAUGHT);
    }

    @Override
    public String toString() {
        return name;
    }

    /**
     * Sees whether the fault has its place in the class as it is now.
     *
     * @param source where the code of the class is found
     * @throws IllegalStateException if the method, or what is to be left out of it, is not there
     */
    public void checkPlace(ClassLoader source) {
        try (InputStream in = source.getResourceAsStream(fileOf(type))) {
            if (in == null) {
                throw new IllegalStateException("There is no class for \"" + name + "\"");
            }
            plant(in.readAllBytes());
        } catch (IOException e) {
            throw new IllegalStateException("A class cannot be read for \"" + name + "\"", e);
        }
    }

    static String fileOf(String type) {
        return type.replace('.', '/') + ".class";
    }

    /** The class with the fault in it. */
    byte[] plant(byte[] code) {
        boolean[] planted = new boolean[1];
        ClassFile classFile = ClassFile.of();
        ClassModel model = classFile.parse(code);
        ClassTransform transform =
                (to, element) -> {
                    if (element instanceof MethodModel found
                            && found.methodName().equalsString(method)
                            && found.code().isPresent()) {
                        plantInto(to, found, model, planted);
                    } else {
                        to.with(element);
                    }
                };
        byte[] changed = classFile.transformClass(model, transform);
        if (!planted[0]) {
            throw new IllegalStateException("There is no place for \"" + name + "\"");
        }
        return changed;
    }

    private void plantInto(
            ClassBuilder to, MethodModel found, ClassModel model, boolean[] planted) {
        if (kind == Kind.LEFT_OUT && skipped.isEmpty()) {
            planted[0] = true;
            to.withMethodBody(
                    found.methodName(),
                    found.methodType(),
                    found.flags().flagsMask(),
                    body -> returnAtOnce(body, found.methodTypeSymbol()));
            return;
        }
        CodeTransform change =
                switch (kind) {
                    case SLOW -> atStart(planted, this::sleep);
                    case FIRST -> atStart(planted, code -> callFirst(code, model));
                    case UNREAD -> notReading(planted);
                    case UNCAUGHT -> notCatching(planted);
                    case LEFT_OUT, TWICE -> skipping(planted);
                };
        to.transformMethod(found, MethodTransform.transformingCode(change));
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

    private CodeTransform notReading(boolean[] planted) {
        return (to, element) -> {
            if (element instanceof FieldInstruction read
                    && isRead(read.opcode())
                    && read.name().equalsString(skipped)) {
                planted[0] = true;
                if (read.opcode() == Opcode.GETFIELD) {
                    to.pop();
                }
                push(to, TypeKind.from(read.typeSymbol()));
            } else {
                to.with(element);
            }
        };
    }

    private static boolean isRead(Opcode opcode) {
        return opcode == Opcode.GETFIELD || opcode == Opcode.GETSTATIC;
    }

    // Entries for debuggers about variables go as well, since some are about code never reached
    // now.
    private static CodeTransform notCatching(boolean[] planted) {
        return (to, element) -> {
            switch (element) {
                case ExceptionCatch any -> planted[0] = true;
                case LocalVariable any -> {}
                case LocalVariableType any -> {}
                default -> to.with(element);
            }
        };
    }

    private static CodeTransform atStart(boolean[] planted, Consumer<CodeBuilder> first) {
        return CodeTransform.ofStateful(
                () ->
                        new CodeTransform() {
                            @Override
                            public void atStart(CodeBuilder to) {
                                planted[0] = true;
                                first.accept(to);
                            }

                            @Override
                            public void accept(CodeBuilder to, CodeElement element) {
                                to.with(element);
                            }
                        });
    }

    private void sleep(CodeBuilder to) {
        to.loadConstant(TimeUnit.MILLISECONDS.toNanos(result));
        to.invokestatic(
                ClassDesc.of(LockSupport.class.getName()),
                "parkNanos",
                MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long));
    }

    private void callFirst(CodeBuilder to, ClassModel model) {
        MethodTypeDesc type = typeWithoutParameters(model);
        if (type == null) {
            throw new IllegalStateException("There is nothing to call for \"" + name + "\"");
        }
        to.aload(0);
        to.invokevirtual(model.thisClass().asSymbol(), skipped, type);
        switch (TypeKind.from(type.returnType()).slotSize()) {
            case 1 -> to.pop();
            case 2 -> to.pop2();
            default -> {}
        }
    }

    private @Nullable MethodTypeDesc typeWithoutParameters(ClassModel model) {
        for (MethodModel each : model.methods()) {
            MethodTypeDesc type = each.methodTypeSymbol();
            if (each.methodName().equalsString(skipped) && type.parameterCount() == 0) {
                return type;
            }
        }
        return null;
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
