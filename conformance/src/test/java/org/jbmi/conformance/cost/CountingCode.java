package org.jbmi.conformance.cost;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;

/**
 * Rewrites a class so that it tells what it does. Counted as locked, as x86 has it and without
 * contention: each end of a monitor, a store to a volatile field, each operation of a VarHandle or
 * an atomic class that reads and writes at once, a volatile store through one, a full fence, and
 * each end of a lock of the JDK. Loads, and stores by release or plainer, lock nothing.
 */
final class CountingCode {
    private static final ClassDesc COUNTS = ClassDesc.of(Counts.class.getName());
    private static final String WORK = Work.class.getName();
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);
    private static final MethodTypeDesc TEXT =
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String ATOMIC = CONCURRENT + "atomic/";
    private static final String LOCKS = CONCURRENT + "locks/";

    /** What costs nothing that is counted here. */
    private static final Set<String> FREE =
            Set.of(
                    CONCURRENT + "ConcurrentHashMap.get",
                    CONCURRENT + "ConcurrentHashMap.containsKey",
                    CONCURRENT + "ConcurrentLinkedQueue.isEmpty",
                    CONCURRENT + "ConcurrentLinkedQueue.peek",
                    CONCURRENT + "TimeUnit.toMillis",
                    CONCURRENT + "TimeUnit.toNanos",
                    LOCKS + "ReentrantLock.isHeldByCurrentThread");

    private static final Set<String> CLOCKS =
            Set.of(
                    "java/lang/System.nanoTime",
                    "java/lang/System.currentTimeMillis",
                    "java/time/Instant.now",
                    "java/time/Clock.millis");

    private final CountingLoader loader;
    private final String type;

    CountingCode(CountingLoader loader, String type) {
        this.loader = loader;
        this.type = type;
    }

    byte[] rewrite(byte[] code) {
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

    private CodeTransform of(MethodModel method) {
        String here = type + "." + method.methodName().stringValue();
        boolean isLocked = (method.flags().flagsMask() & ClassFile.ACC_SYNCHRONIZED) != 0;
        return CodeTransform.ofStateful(
                () ->
                        new CodeTransform() {
                            @Override
                            public void atStart(CodeBuilder to) {
                                touches(to, type);
                                if (isLocked) {
                                    tell(to, "lockedTwice", here);
                                }
                            }

                            @Override
                            public void accept(CodeBuilder to, CodeElement element) {
                                tell(to, element, here);
                                to.with(element);
                            }
                        });
    }

    /** The work that is counted, and the types in it, are no part of the project. */
    private static void touches(CodeBuilder to, String name) {
        if (CountingLoader.isCounted(name) && !name.startsWith(WORK)) {
            tell(to, "touched", name);
        }
    }

    private static void tell(CodeBuilder to, String what, String text) {
        to.loadConstant(text);
        to.invokestatic(COUNTS, what, TEXT);
    }

    private void tell(CodeBuilder to, CodeElement element, String here) {
        switch (element) {
            case MonitorInstruction any -> tell(to, "locked", here);
            case FieldInstruction store when isVolatileStore(store) -> tell(to, "locked", here);
            case InvokeInstruction call -> tell(to, call, here);
            default -> {}
        }
    }

    private boolean isVolatileStore(FieldInstruction store) {
        boolean isStore = store.opcode() == Opcode.PUTFIELD || store.opcode() == Opcode.PUTSTATIC;
        String owner = store.owner().asInternalName().replace('/', '.');
        return isStore && loader.isVolatile(owner, store.name().stringValue());
    }

    private static void tell(CodeBuilder to, InvokeInstruction call, String here) {
        String owner = call.owner().asInternalName();
        String method = call.name().stringValue();
        if (call.opcode() == Opcode.INVOKEINTERFACE) {
            touches(to, owner.replace('/', '.'));
        }
        switch (kindOf(owner, method)) {
            case FREE -> {}
            case LOCKED -> tell(to, "locked", here);
            case LOCKED_TWICE -> tell(to, "lockedTwice", here);
            case CLOCK -> to.invokestatic(COUNTS, "clock", NOTHING);
            case PARK -> to.invokestatic(COUNTS, "park", NOTHING);
            case UNKNOWN -> tell(to, "unknown", owner.replace('/', '.') + "." + method);
        }
    }

    private enum Kind {
        FREE,
        LOCKED,
        LOCKED_TWICE,
        CLOCK,
        PARK,
        UNKNOWN
    }

    private static Kind kindOf(String owner, String method) {
        String full = owner + "." + method;
        if (CLOCKS.contains(full)) {
            return Kind.CLOCK;
        }
        if (owner.equals("java/lang/invoke/VarHandle") || owner.startsWith(ATOMIC)) {
            return isLocked(owner, method) ? Kind.LOCKED : Kind.FREE;
        }
        if (owner.startsWith(LOCKS + "LockSupport")) {
            return method.startsWith("park") || method.equals("unpark") ? Kind.PARK : Kind.FREE;
        }
        if (owner.equals(LOCKS + "ReentrantLock") && method.matches("lock|tryLock|unlock")) {
            return Kind.LOCKED;
        }
        if (full.startsWith(CONCURRENT + "ConcurrentLinkedQueue.")
                && method.matches("add|offer|poll")) {
            return Kind.LOCKED_TWICE;
        }
        boolean isCostly = owner.startsWith(CONCURRENT) && !method.equals("<init>");
        return isCostly && !FREE.contains(full) ? Kind.UNKNOWN : Kind.FREE;
    }

    private static boolean isLocked(String owner, String method) {
        if (method.matches("compareAnd.*|weakCompareAnd.*|getAnd.+|.+AndGet|.*fullFence")) {
            return true;
        }
        return switch (method) {
            case "setVolatile" -> true;
            case "set" -> owner.startsWith(ATOMIC);
            case "add", "increment", "decrement", "accumulate" ->
                    owner.endsWith("Adder") || owner.endsWith("Accumulator");
            default -> false;
        };
    }
}
