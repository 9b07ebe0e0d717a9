package org.jbmi.simulator.heap;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;

/**
 * Loads the library's classes anew, so that they call {@link Allocations} before each object that
 * they make. They make one by an instruction, a capturing lambda, a concatenation, or a call of the
 * JDK that usually makes one. It does not change the simulator's own classes. Those of the progress
 * and the result of a run it does not load anew either, so that others can read both.
 */
public final class AllocationLoader extends ClassLoader {
    private static final String PROJECT = "org.jbmi.";
    private static final String OWN = "org.jbmi.simulator.";

    /** What a run tells, beside the coverage and its progress. */
    private static final Set<String> RESULTS =
            Set.of(
                    OWN + "Simulation$Report",
                    OWN + "Simulation$Failure",
                    OWN + "process.Violation");

    /** Objects of this class belong to the core, which is simulated. */
    private static final String OPERATION = "org.jbmi.spi.Operation";

    private static final ClassDesc ALLOCATIONS = ClassDesc.of(Allocations.class.getName());
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

    /** Calls of java.util and java.lang.foreign that make objects. */
    private static final Set<String> MAKERS =
            Set.of(
                    ("add addAll addFirst addLast allocate allocateDirect asByteBuffer asSlice"
                         + " compute computeIfAbsent copyOf copyOfRange duplicate entrySet"
                         + " firstEntry format formatted headMap iterator lastEntry merge of"
                         + " ofArray offer offerLast push put putIfAbsent stream toArray values"
                         + " wrap")
                            .split(" ", -1));

    /** The bootstrap methods of lambdas and concatenations; records and switches have others. */
    private static final Set<String> MAKING_FACTORIES =
            Set.of("LambdaMetafactory", "StringConcatFactory");

    private final ClassLoader source;

    /** A loader of the library's classes and of the simulator's. */
    public AllocationLoader(ClassLoader parent) {
        super(parent);
        source = parent;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PROJECT) || isRead(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }
    }

    private static boolean isRead(String name) {
        return name.startsWith(OWN + "coverage.")
                || name.startsWith(OWN + "watch.")
                || RESULTS.contains(name);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] code = read(name);
        byte[] used = name.startsWith(OWN) || name.equals(OPERATION) ? code : rewrite(code);
        return defineClass(name, used, 0, used.length);
    }

    private byte[] read(String name) throws ClassNotFoundException {
        try (InputStream in = source.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static byte[] rewrite(byte[] code) {
        ClassFile file = ClassFile.of();
        ClassTransform transform =
                (to, element) -> {
                    if (element instanceof MethodModel method && method.code().isPresent()) {
                        to.transformMethod(method, MethodTransform.transformingCode(of(method)));
                    } else {
                        to.with(element);
                    }
                };
        return file.transformClass(file.parse(code), transform);
    }

    private static CodeTransform of(MethodModel method) {
        return method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME)
                ? initializing()
                : AllocationLoader::asking;
    }

    private static void asking(CodeBuilder to, CodeElement element) {
        if (isAllocation(element)) {
            to.invokestatic(ALLOCATIONS, "soon", NOTHING);
        }
        to.with(element);
    }

    // It happens once in the life of a loader, so two runs of a history would differ.
    private static CodeTransform initializing() {
        return CodeTransform.ofStateful(
                () ->
                        new CodeTransform() {
                            @Override
                            public void atStart(CodeBuilder to) {
                                to.invokestatic(ALLOCATIONS, "pause", NOTHING);
                            }

                            @Override
                            public void accept(CodeBuilder to, CodeElement element) {
                                if (element instanceof ReturnInstruction) {
                                    to.invokestatic(ALLOCATIONS, "resume", NOTHING);
                                }
                                to.with(element);
                            }
                        });
    }

    private static boolean isAllocation(CodeElement element) {
        return switch (element) {
            case NewObjectInstruction any -> true;
            case NewPrimitiveArrayInstruction any -> true;
            case NewReferenceArrayInstruction any -> true;
            case NewMultiArrayInstruction any -> true;
            case InvokeDynamicInstruction made ->
                    made.typeSymbol().parameterCount() > 0
                            && MAKING_FACTORIES.contains(
                                    made.bootstrapMethod().owner().displayName());
            case InvokeInstruction call -> makes(call);
            default -> false;
        };
    }

    private static boolean makes(InvokeInstruction call) {
        String owner = call.owner().asInternalName();
        boolean isOfJdk =
                owner.startsWith("java/util/")
                        || owner.startsWith("java/nio/")
                        || owner.startsWith("java/lang/foreign/")
                        || owner.equals("java/lang/String");
        return isOfJdk && MAKERS.contains(call.name().stringValue());
    }
}
