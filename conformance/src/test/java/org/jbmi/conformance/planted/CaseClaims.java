package org.jbmi.conformance.planted;

import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.CaseGroups;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The cases of the kit that claim a number or a counter: their row in docs/conformance.md expects a
 * number, or their code reads a counter or the processor time of threads. A number in the column
 * "case" says how much is done and is no claim.
 */
final class CaseClaims {
    private static final Pattern ROW =
            Pattern.compile("\\| (\\d+) \\| [^|]* \\| ([^|]*) \\| [^|]* \\| kit \\|");
    private static final Pattern NUMBER =
            Pattern.compile(
                    "\\d|\\b(number|count\\w*|copies|a copy|forwarded|traffic|processor|bounded"
                            + "|half|twentieth|hundred|thousand|seconds)\\b");
    private static final String CASES = "org/jbmi/testsuite/cases/";

    /** What each method of the cases calls, by class and name; overloads count as one. */
    private final Map<String, Set<String>> calls = new HashMap<>();

    /** The method of each case. */
    private final Map<Integer, String> bodies = new TreeMap<>();

    private CaseClaims() {}

    /** The numbers of the cases that claim one. */
    static SortedSet<Integer> all() throws IOException {
        SortedSet<Integer> claims = expectingNumbers();
        claims.addAll(readingCounters());
        return claims;
    }

    /** Those whose row expects a number. */
    static SortedSet<Integer> expectingNumbers() throws IOException {
        SortedSet<Integer> found = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "conformance.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches() && NUMBER.matcher(row.group(2)).find()) {
                found.add(Integer.valueOf(row.group(1)));
            }
        }
        return found;
    }

    /** Those whose code reads a counter, or the processor time of threads. */
    static SortedSet<Integer> readingCounters() throws IOException {
        CaseClaims claims = new CaseClaims();
        claims.readAll();
        SortedSet<Integer> found = new TreeSet<>();
        claims.bodies.forEach(
                (id, body) -> {
                    if (claims.counts(body)) {
                        found.add(id);
                    }
                });
        return found;
    }

    private void readAll() throws IOException {
        Deque<String> unread = new ArrayDeque<>(Set.of(nameOf(CaseGroups.class)));
        Set<String> known = new HashSet<>(unread);
        while (!unread.isEmpty()) {
            for (String called : read(unread.remove())) {
                String type = called.substring(0, called.indexOf('.'));
                if (type.startsWith(CASES) && known.add(type)) {
                    unread.add(type);
                }
            }
        }
    }

    private static String nameOf(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    /** Reads a class; returns all that it calls. */
    private Set<String> read(String type) throws IOException {
        Set<String> all = new HashSet<>();
        try (InputStream in =
                CaseGroups.class.getClassLoader().getResourceAsStream(type + ".class")) {
            if (in == null) {
                throw new IOException("There is no class " + type);
            }
            for (MethodModel method : ClassFile.of().parse(in.readAllBytes()).methods()) {
                String name = method.methodName().stringValue();
                Set<String> own = calls.computeIfAbsent(type + "." + name, any -> new HashSet<>());
                method.code().ifPresent(code -> code.forEach(each -> addCall(each, own)));
                all.addAll(own);
                if (name.equals("addTo")) {
                    method.code().ifPresent(this::addBodies);
                }
            }
        }
        return all;
    }

    private static void addCall(CodeElement element, Set<String> to) {
        switch (element) {
            case InvokeInstruction call ->
                    to.add(call.owner().asInternalName() + "." + call.name().stringValue());
            case InvokeDynamicInstruction made ->
                    made.bootstrapArgs().forEach(each -> addHandle(each, to));
            default -> {}
        }
    }

    private static void addHandle(ConstantDesc constant, Set<String> to) {
        if (constant instanceof DirectMethodHandleDesc handle) {
            String owner = handle.owner().descriptorString();
            to.add(owner.substring(1, owner.length() - 1) + "." + handle.methodName());
        }
    }

    /** In the code that adds cases: a number, a title, perhaps seconds, and a method. */
    private void addBodies(Iterable<CodeElement> code) {
        int lastNumber = 0;
        int id = 0;
        for (CodeElement element : code) {
            if (element instanceof ConstantInstruction constant) {
                switch (constant.constantValue()) {
                    case Integer number -> lastNumber = number;
                    case String title -> id = lastNumber;
                    default -> {}
                }
            } else if (element instanceof InvokeDynamicInstruction) {
                Set<String> body = new HashSet<>();
                addCall(element, body);
                bodies.put(id, body.iterator().next());
            }
        }
    }

    private boolean counts(String body) {
        Deque<String> open = new ArrayDeque<>(Set.of(body));
        Set<String> seen = new HashSet<>(open);
        while (!open.isEmpty()) {
            for (String called : calls.getOrDefault(open.remove(), Set.of())) {
                if (called.equals(nameOf(Scene.class) + ".counter")
                        || called.startsWith(nameOf(ThreadMXBean.class) + ".")) {
                    return true;
                }
                if (seen.add(called)) {
                    open.add(called);
                }
            }
        }
        return false;
    }
}
