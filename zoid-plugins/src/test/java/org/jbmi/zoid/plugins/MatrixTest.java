package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.client.Zoid;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * Each type in each shape and each direction, out of a plug-in that is written here and compiled as
 * one of a user's is. A function gives back in {@code out} what {@code both} was, and in {@code
 * both} what {@code in} was.
 */
@Timeout(120)
class MatrixTest {
    /** A type, three values of it, and what a ptr to it is. */
    private record Kind(String name, String type, String a, String b, String c, String cell) {
        String in(String template) {
            return template.replace("#N", name)
                    .replace("#CELL", cell)
                    .replace("#T", type)
                    .replace("#A", a)
                    .replace("#B", b)
                    .replace("#C", c);
        }
    }

    private static final List<Kind> KINDS =
            List.of(
                    new Kind("Boolean", "boolean", "true", "false", "true", ""),
                    new Kind("Byte", "byte", "(byte) -128", "(byte) 0", "(byte) 127", "ByteCell"),
                    new Kind(
                            "Short",
                            "short",
                            "Short.MIN_VALUE",
                            "(short) 1",
                            "(short) 32767",
                            "ShortCell"),
                    new Kind("Int", "int", "Integer.MIN_VALUE", "7", "-1", "IntCell"),
                    new Kind("Long", "long", "Long.MIN_VALUE", "1L << 40", "-1L", "LongCell"),
                    new Kind("Float", "float", "-0.5f", "Float.MAX_VALUE", "0f", "FloatCell"),
                    new Kind("Double", "double", "0.1", "Double.MIN_VALUE", "-3.0", "DoubleCell"),
                    new Kind(
                            "Point",
                            "Matrix.Point",
                            "new Matrix.Point(1, \"grün\")",
                            "new Matrix.Point(-2, \"\")",
                            "new Matrix.Point(3, \"x\")",
                            "Cell<Matrix.Point>"));

    private static final String ARRAYS =
            """
            int arrays#N(int n, @In @Sized("n") #T[] in, @Out @Sized("n") #T[] out,
                    @InOut @Sized("n") #T[] both, @In @Sized("n") @NullOk #T[] none);
            int rows#N(@In @Sized("sizes") #T[][] in, @Out @Sized("sizes") #T[][] out,
                    @InOut @Sized("sizes") #T[][] both, @In @Sized("n") int[] sizes, int n);
            """;
    private static final String ARRAY_FUNCTIONS =
            """
            @Override public int arrays#N(int n, #T[] in, #T[] out, #T[] both, #T[] none) {
                for (int i = 0; i < n; i++) {
                    out[i] = both[i];
                    both[i] = in[i];
                }
                return none == null ? in.length + out.length + both.length : -1;
            }
            @Override public int rows#N(#T[][] in, #T[][] out, #T[][] both, int[] sizes, int n) {
                for (int i = 0; i < n; i++) {
                    arrays#N(sizes[i], in[i], out[i], both[i], null);
                }
                return n;
            }
            """;
    private static final String ARRAY_CALLS =
            """
            static void arrays#N(Matrix m) {
                #T[] in = {#A, #B, #C, #A};
                #T[] out = {#B, #B, #B, #B};
                #T[] both = {#C, #A, #B, #C};
                check("length #N", m.arrays#N(3, in, out, both, null) == 9);
                check("out #N", Arrays.equals(out, new #T[] {#C, #A, #B, #B}));
                check("both #N", Arrays.equals(both, new #T[] {#A, #B, #C, #C}));
                check("in #N", Arrays.equals(in, new #T[] {#A, #B, #C, #A}));
                #T[][] ins = {{#A, #B}, {}, {#C}};
                #T[][] outs = {new #T[2], {}, new #T[1]};
                #T[][] boths = {{#B, #A}, {}, {#A}};
                check("rows #N", m.rows#N(ins, outs, boths, new int[] {2, 0, 1}, 3) == 3);
                check("outs #N", Arrays.deepEquals(outs, new #T[][] {{#B, #A}, {}, {#A}}));
                check("boths #N", Arrays.deepEquals(boths, new #T[][] {{#A, #B}, {}, {#C}}));
            }
            """;
    private static final String CELLS =
            """
            int cells#N(@In #T in, @Out #CELL out, @InOut #CELL both, @InOut @NullOk #CELL none);
            """;
    private static final String CELL_FUNCTIONS =
            """
            @Override public int cells#N(#T in, #CELL out, #CELL both, #CELL none) {
                out.set(both.get());
                both.set(in);
                return none == null ? 1 : 0;
            }
            """;
    private static final String CELL_CALLS =
            """
            static void cells#N(Matrix m) {
                #CELL out = new #CELL(#B);
                #CELL both = new #CELL(#C);
                check("null #N", m.cells#N(#A, out, both, null) == 1);
                check("cell #N", Objects.equals(out.get(), #C) && Objects.equals(both.get(), #A));
                check("some #N", m.cells#N(#A, out, both, new #CELL(#B)) == 0);
            }
            """;
    private static final String MEMORY =
            """
            int memory(@In @Sized("n") MemorySegment in, @Out @Sized("n") MemorySegment out,
                    @InOut @Sized("n") MemorySegment both, int n);
            int wide(@In @Sized(value = "n", elementBytes = 4) MemorySegment in,
                    @Out @Sized(value = "n", elementBytes = 4) MemorySegment out,
                    @InOut @Sized(value = "n", elementBytes = 4) MemorySegment both, int n);
            int moved(@InOut @Sized("n") @ZeroCopy MemorySegment both, int n);
            int movedRows(@InOut @Sized("sizes") @ZeroCopy MemorySegment[] both,
                    @In @Sized("n") int[] sizes, int n);
            """;
    private static final String MEMORY_FUNCTIONS =
            """
            @Override public int memory(MemorySegment in, MemorySegment out, MemorySegment both, int n) {
                out.copyFrom(both);
                both.copyFrom(in);
                return (int) (in.byteSize() + out.byteSize() + both.byteSize());
            }
            @Override public int wide(MemorySegment in, MemorySegment out, MemorySegment both, int n) {
                return memory(in, out, both, n);
            }
            @Override public int moved(MemorySegment both, int n) {
                for (int i = 0; i < n; i++) {
                    both.set(ValueLayout.JAVA_BYTE, i, (byte) ~both.get(ValueLayout.JAVA_BYTE, i));
                }
                return n;
            }
            @Override public int movedRows(MemorySegment[] both, int[] sizes, int n) {
                int sum = 0;
                for (int i = 0; i < n; i++) {
                    sum += moved(both[i], sizes[i]);
                }
                return sum;
            }
            """;
    private static final String MEMORY_CALLS =
            """
            static MemorySegment filled(int bytes, int value) {
                return MemorySegment.ofArray(new byte[bytes]).fill((byte) value);
            }
            static void same(String what, MemorySegment memory, int value) {
                check(what, memory.mismatch(filled((int) memory.byteSize(), value)) < 0);
            }
            static void memory(Matrix m) {
                for (boolean wide : new boolean[] {false, true}) {
                    MemorySegment out = filled(8, 1);
                    MemorySegment both = filled(8, 2);
                    int sum = wide ? m.wide(filled(8, 3), out, both, 2) : m.memory(filled(8, 3), out, both, 8);
                    check("bytes", sum == 24);
                    same("out", out, 2);
                    same("both", both, 3);
                }
                MemorySegment moved = filled(100_000, 5);
                check("moved", m.moved(moved, 70_000) == 70_000);
                same("moved", moved.asSlice(0, 70_000), ~5);
                same("not moved", moved.asSlice(70_000), 5);
                MemorySegment[] rows = {filled(9000, 1), filled(0, 2), filled(100, 3)};
                check("moved rows", m.movedRows(rows, new int[] {8000, 0, 100}, 3) == 8100);
                same("row", rows[0].asSlice(0, 8000), ~1);
                same("row", rows[0].asSlice(8000), 1);
                same("row", rows[2], ~3);
            }
            """;
    private static final String IMPORTS =
            """
            package matrix;
            import org.jbmi.shipper.codec.Shipped;
            import org.jbmi.zoid.forward.*;
            import org.jbmi.zoid.forward.client.Zoid;
            import org.jbmi.zoid.forward.stub.PluginDispatcher;
            import java.lang.foreign.*;
            import java.util.*;
            """;

    @TempDir Path folder;

    private static Map<String, String> sources() {
        StringBuilder functions = new StringBuilder(MEMORY);
        StringBuilder bodies = new StringBuilder(MEMORY_FUNCTIONS);
        StringBuilder calls = new StringBuilder(MEMORY_CALLS);
        StringBuilder all = new StringBuilder("memory(m);\n");
        for (Kind kind : KINDS) {
            functions.append(kind.in(ARRAYS));
            bodies.append(kind.in(ARRAY_FUNCTIONS));
            calls.append(kind.in(ARRAY_CALLS));
            all.append(kind.in("arrays#N(m);\n"));
        }
        Kind text = new Kind("Text", "String", "\"one\"", "\"\"", "\"grün\"", "Cell<String>");
        for (Kind kind : KINDS.subList(1, KINDS.size())) {
            appendCells(kind, functions, bodies, calls, all);
        }
        appendCells(text, functions, bodies, calls, all);
        return Map.of(
                "Matrix",
                IMPORTS
                        + "@ZoidPlugin(id = 400, name = \"matrix\")\n"
                        + "public interface Matrix extends PluginLifecycle {\n"
                        + functions
                        + "@Shipped record Point(int x, String label) {}\n}\n",
                "MatrixFunctions",
                IMPORTS + "final class MatrixFunctions implements Matrix {\n" + bodies + "}\n",
                "MatrixProvider",
                IMPORTS
                        + """
                        public final class MatrixProvider implements PluginProvider {
                            @Override public String name() { return "matrix"; }
                            @Override public PluginDispatcher open(PluginServices services) {
                                return new MatrixDispatcher(new MatrixFunctions());
                            }
                        }
                        """,
                "Calls",
                IMPORTS
                        + """
                        public final class Calls {
                            static final List<String> wrong = new ArrayList<>();
                            static void check(String what, boolean right) {
                                if (!right) {
                                    wrong.add(what);
                                }
                            }
                            public static List<String> all(Zoid zoid) {
                                Matrix m = new MatrixClient(zoid);
                        """
                        + all
                        + "return wrong;\n}\n"
                        + calls
                        + "}\n");
    }

    private static void appendCells(
            Kind kind,
            StringBuilder functions,
            StringBuilder bodies,
            StringBuilder calls,
            StringBuilder all) {
        functions.append(kind.in(CELLS));
        bodies.append(kind.in(CELL_FUNCTIONS));
        calls.append(kind.in(CELL_CALLS));
        all.append(kind.in("cells#N(m);\n"));
    }

    @ParameterizedTest
    @FieldSource("org.jbmi.zoid.plugins.Server#METHODS")
    void everyTypeTravelsInEveryShapeEachWay(String method) throws Exception {
        Path classes = PluginCode.compile(folder, sources(), "matrix.MatrixProvider");
        ZoidSettings settings = ZoidSettings.defaults().withModules(List.of("matrix"));
        try (URLClassLoader loader =
                        new URLClassLoader(
                                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
                Server server =
                        Server.of(
                                method,
                                settings,
                                ServiceLoader.load(PluginProvider.class, loader))) {
            Method calls = loader.loadClass("matrix.Calls").getMethod("all", Zoid.class);
            Zoid zoid = server.client();
            assertThat((List<?>) calls.invoke(null, zoid)).isEmpty();
            assertThat(zoid.traffic().requests()).isGreaterThan(2 * KINDS.size());
        }
    }
}
