package org.jbmi.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;

/**
 * Says of a static array whether it is a constant: private, its elements immutable, and no method
 * that reads the field also stores into an array or returns one. The initializer may fill it.
 */
final class ConstantArrays {

    private ConstantArrays() {}

    static boolean isConstant(Field field, Object array) throws IOException {
        if (!Modifier.isPrivate(field.getModifiers())) {
            return false;
        }
        if (!field.getType().getComponentType().isPrimitive()) {
            for (int i = 0; i < Array.getLength(array); i++) {
                if (Immutability.fault(Array.get(array, i)) != null) {
                    return false;
                }
            }
        }
        Class<?> owner = field.getDeclaringClass().getNestHost();
        if (!onlyReads(owner, field)) {
            return false;
        }
        for (Class<?> member : owner.getNestMembers()) {
            if (!onlyReads(member, field)) {
                return false;
            }
        }
        return true;
    }

    private static boolean onlyReads(Class<?> type, Field field) throws IOException {
        ClassModel model = parse(type);
        return model.methods().stream().noneMatch(method -> mayWrite(method, field));
    }

    private static ClassModel parse(Class<?> type) throws IOException {
        String file = "/" + type.getName().replace('.', '/') + ".class";
        try (InputStream bytes = type.getResourceAsStream(file)) {
            return ClassFile.of().parse(bytes.readAllBytes());
        }
    }

    private static boolean mayWrite(MethodModel method, Field field) {
        CodeModel code = method.code().orElse(null);
        if (code == null || method.methodName().equalsString("<clinit>")) {
            return false;
        }
        List<CodeElement> elements = code.elementList();
        return elements.stream().anyMatch(element -> reads(element, field))
                && elements.stream().anyMatch(ConstantArrays::storesOrReturns);
    }

    private static boolean reads(CodeElement element, Field field) {
        return element instanceof FieldInstruction access
                && access.opcode() == Opcode.GETSTATIC
                && access.name().equalsString(field.getName());
    }

    private static boolean storesOrReturns(CodeElement element) {
        return element instanceof ArrayStoreInstruction
                || element instanceof ReturnInstruction end && end.opcode() == Opcode.ARETURN;
    }
}
