package org.jbmi.zoid.processor.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.shipper.processor.ShippedProcessor;
import org.jbmi.zoid.processor.scan.Scanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** An interface becomes a stub and a dispatcher that compile, or an error at its parameter. */
@Timeout(120)
class PluginProcessorTest {
    private static final String START =
            """
            package demo;
            import org.jbmi.shipper.codec.Shipped;
            import org.jbmi.zoid.forward.*;
            import java.lang.foreign.MemorySegment;
            @ZoidPlugin(id = 77, name = "demo")
            public interface Demo extends PluginLifecycle {
            """;

    @TempDir Path folder;

    /** What the compiler says: the text at the place, and the sentence. */
    private List<String> compile(String source) throws Exception {
        return compile("Demo", source);
    }

    private List<String> compile(String type, String source) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options =
                List.of(
                        "-d",
                        folder.toString(),
                        "-Xlint:all,-path,-processing,-options",
                        "-Werror",
                        "-cp",
                        System.getProperty("java.class.path"));
        JavaCompiler.CompilationTask task =
                compiler.getTask(
                        new StringWriter(),
                        null,
                        found,
                        options,
                        null,
                        List.of(new Source(type, source)));
        task.setProcessors(List.of(new ShippedProcessor(), new PluginProcessor()));
        task.call();
        List<String> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> each : found.getDiagnostics()) {
            if (each.getKind() != Diagnostic.Kind.NOTE) {
                int at = (int) each.getPosition();
                String rest = at < 0 || each.getSource() == null ? "" : source.substring(at);
                errors.add(rest.split("\\W")[0] + ": " + each.getMessage(Locale.ROOT));
            }
        }
        return errors;
    }

    private List<String> compileMembers(String members) throws Exception {
        return compile(START + members + "\n}\n");
    }

    @Test
    void everyKindOfArgumentCompiles() throws Exception {
        assertThat(
                        compileMembers(
                                """
                                void nothing();
                                boolean flag(boolean a, byte b, short c, int d, long e, float f, double g);
                                byte small(@In String text, @Out Cell<String> out, @InOut @NullOk Cell<String> both);
                                short cells(@In IntCell a, @Out LongCell b, @InOut @NullOk ByteCell c,
                                    @Out ShortCell d, @InOut FloatCell e, @Out @NullOk DoubleCell f);
                                long point(Point by, @In @NullOk Point in, @Out Cell<Point> out);
                                int arrays(int n, @In @Sized("n") int[] a, @Out @Sized("1") byte[] b,
                                    @InOut @Sized("-3") @NullOk Point[] c, @In @Sized("n") @NullOk boolean[] d);
                                int memory(@In @Sized("+1") MemorySegment a, @InOut LongCell n,
                                    @Out @Sized(value = "n", elementBytes = 4) @NullOk MemorySegment b);
                                int rows(@In @Sized("sizes") @NullOk long[][] a, @InOut @Sized("n") short[] sizes,
                                    int n, @Out @Sized("sizes") Point[][] b, @Out @Sized("sizes") @NullOk MemorySegment[] c);
                                int zero(@In @Sized("n") @ZeroCopy @NullOk MemorySegment a, int n,
                                    @Out @Sized("m") @ZeroCopy MemorySegment b, @InOut IntCell m);
                                int both(@InOut @Sized("n") @ZeroCopy MemorySegment a, int n);
                                int rowsWithout(@InOut @Sized("sizes") @ZeroCopy MemorySegment[] call,
                                    @InOut @Sized("n") int[] sizes, int n);
                                int own(@In @Sized("n") @ZeroCopy @UserBuffer MemorySegment a, long n,
                                    @Out @Sized(value = "m", elementBytes = 8) @ZeroCopy @UserBuffer @NullOk MemorySegment b,
                                    @InOut IntCell m);
                                default MemorySegment ownAllocate(int bytes) { return null; }
                                int named(int call, int result, int plugin, int i, @In @Sized("i") long[] count);
                                @Shipped record Point(int x, String label) {}
                                """))
                .isEmpty();
        assertThat(Files.exists(folder.resolve("demo/DemoClient.class"))).isTrue();
        assertThat(Files.exists(folder.resolve("demo/DemoDispatcher.class"))).isTrue();
        assertThat(Files.readString(folder.resolve("demo/DemoClient.java")))
                .contains("ClientCall call = this.plugin.begin(")
                .contains("\"both(inout:arr[2]:zerocopy:m8,in:obj:i32):i32\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    int f(@In @Out IntCell a)                    | a | A parameter has one direction: @In, @Out or @InOut.
                    int f(@Out int a)                            | a | What comes out is an array or a cell: use IntCell.
                    int f(@InOut String a)                       | a | What comes out is an array or a cell: use Cell.
                    int f(char a)                                | a | 'char' cannot be forwarded
                    int f(Object a)                              | a | 'java.lang.Object' cannot be forwarded
                    int f(Plain a)                               | a | cannot be forwarded: use a primitive type, String, a record with @Shipped
                    int f(Cell<Integer> a)                       | a | cannot be forwarded
                    int f(@In String[] a)                        | a | An array of 'java.lang.String' cannot be forwarded.
                    int f(int[][][] a)                           | a | cannot be forwarded
                    int f(int a, @In int[] b)                    | b | An array needs the hint size
                    int f(@In @Sized("n") int[] b)               | b | size=n names no parameter; there are 1.
                    int f(@In @Sized("+2") int[] b, int n)       | b | size=+2 names no parameter
                    int f(@In @Sized("1") int[] b, int n)        | b | size=1 names the array itself.
                    int f(@In @Sized("n") int[] b, double n)     | b | The size of an arr must be a whole number
                    int f(@In @Sized("n") int[] b, @Out IntCell n) | b | The size 'n' must go in
                    int f(@In @Sized("n") int[] b, @InOut @NullOk IntCell n) | b | The size 'n' must not be nullok.
                    int f(@In @Sized("n") int[][] b, int n)      | b | The size of an arr2d must be an arr of whole numbers
                    int f(@NullOk int a)                         | a | nullok is for what is passed by address
                    int f(@Sized("b") int a, int b)              | a | size is for arrays only
                    int f(@ZeroCopy int a)                       | a | zerocopy is for arrays only
                    int f(@In @Sized("n") @ZeroCopy int[] b, int n) | b | A zerocopy array is a MemorySegment
                    int f(@In @Sized("n") @UserBuffer MemorySegment b, int n) | b | userbuf is for an arr with zerocopy only.
                    int f(@InOut @Sized("n") @ZeroCopy @UserBuffer MemorySegment b, int n) | b | A userbuf goes in or comes out, and not both.
                    int f(@In @Sized("n") @ZeroCopy @UserBuffer MemorySegment b, int n) | b | A userbuf that goes in needs a method that brings its memory
                    int f(@In @Sized(value = "n", elementBytes = 4) @ZeroCopy @UserBuffer MemorySegment b, int n) | b | must have elements of one byte
                    int f(@In @Sized(value = "n", elementBytes = 3) MemorySegment b, int n) | b | An element has 1, 2, 4 or 8 bytes, and not 3.
                    int f(@In @Sized(value = "n", elementBytes = 4) int[] b, int n) | b | elementBytes is for a MemorySegment only
                    int f(@In @Sized("n") @ZeroCopy MemorySegment a, @In @Sized("n") @ZeroCopy MemorySegment b, int n) | b | at most one zerocopy array that goes in
                    int f(@Out @Sized("n") @ZeroCopy MemorySegment a, @Out @Sized("n") @ZeroCopy MemorySegment b, int n) | b | at most one zerocopy array that comes out
                    String f(int a)                              | f | A forwarded function returns a number, a truth value, or nothing.
                    int f(int... a)                              | f | A forwarded function has no type parameters
                    int f(int a) throws Throwable                | f | What a forwarded function throws is an Exception or an Error.
                    <T> int f(int a)                             | f | A forwarded function has no type parameters
                    """)
    void aWrongHintIsAnErrorAtItsPlace(String prototype, String place, String sentence)
            throws Exception {
        assertThat(compileMembers(prototype + ";\nrecord Plain(int x) {}"))
                .anySatisfy(error -> assertThat(error).startsWith(place + ": ").contains(sentence));
    }

    /** A client inherits the records of its interface, and they hide classes that it imports. */
    @Test
    void recordsMayHaveTheNamesOfClassesThatGeneratedCodeUses() throws Exception {
        List<String> names =
                List.of(
                        "Arrays",
                        "ClientCall",
                        "ClientPlugin",
                        "Counts",
                        "List",
                        "Override",
                        "PluginDispatcher",
                        "ServedCall",
                        "String",
                        "Zoid");
        StringBuilder members = new StringBuilder();
        for (String name : names) {
            members.append(
                            "int f%s(%s a, @InOut Cell<%s> b, @InOut @Sized(\"n\") %s[] c, int n);\n"
                                    .formatted(name, name, name, name))
                    .append("@Shipped record ")
                    .append(name)
                    .append("(int x) {}\n");
        }
        members.append("int rows(@InOut @Sized(\"sizes\") int[][] a, @InOut @Sized(\"n\") int[]")
                .append(" sizes, int n, @InOut Cell<java.lang.String> text);\n");
        assertThat(compileMembers(members.toString())).isEmpty();
    }

    /** What the scanner writes of a header without complaint compiles. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    odd.h         | Odd          | int odd_a(thing_t *a /* in:ptr */);
                    odd.h         | Odd          | int odd_(void); int odd_b(int _);
                    string.h      | String_      | int alpha(char *b /* in:str */); int beta(void);
                    in.h          | In_          | int alpha(char *b /* in:str */); int beta(void);
                    zoid_plugin.h | ZoidPlugin_  | int alpha(char *b /* in:str */); int beta(void);
                    override.h    | Override     | int alpha(char *b /* in:str */); int beta(void);
                    9file.h       | Plugin9file  | int alpha(void); int beta(void);
                    _file.h       | PluginFile   | int alpha(void); int beta(void);
                    """)
    void whatTheScannerAcceptsCompiles(String file, String type, String functions)
            throws Exception {
        Scanner.Result result =
                Scanner.scan(
                        """
                        typedef struct { int wait, clone, hash_code, to_string, notify; } part_t;
                        typedef struct { int finalize, notify_all, get_class; part_t p; } thing_t;
                        /* START-ZOID-SCANNER ID=77 INIT=NULL FINI=NULL PROC=NULL */
                        """
                                + functions,
                        new Scanner.Options(file, "demo"));
        assertThat(result.problems()).isEmpty();
        assertThat(compile(type, Objects.requireNonNull(result.source()))).isEmpty();
        assertThat(Files.exists(folder.resolve("demo/" + type + "Client.class"))).isTrue();
    }

    @Test
    void twoFunctionsOfOneNameAreAnError() throws Exception {
        assertThat(compileMembers("int f(int a); int f(long a);"))
                .containsExactly("f: There are two functions of this name.");
    }

    // The server would call it. With other parameters it is another method.
    @Test
    void aFunctionInThePlaceOfALifecycleMethodIsAnError() throws Exception {
        assertThat(compileMembers("void unloaded(); void proc(boolean added);"))
                .containsExactly("unloaded: The server calls the method of this name itself.");
    }

    @Test
    void theInterfaceItselfHasRules() throws Exception {
        String start = "package demo; import org.jbmi.zoid.forward.*;\n";
        assertThat(compile(start + "@ZoidPlugin(id = 70000, name = \"7\") interface Demo {}"))
                .containsExactly(
                        "interface: The number of a plug-in is 1 to 65535, and not 70000."
                                + " The name of a plug-in begins with a letter, and not '7'."
                                + " The interface of a plug-in extends PluginLifecycle.");
        assertThat(
                        compile(
                                start
                                        + "@ZoidPlugin(id = 7, name = \"<error>\") interface Demo"
                                        + " extends PluginLifecycle {}"))
                .containsExactly(
                        "interface: The name of a plug-in begins with a letter, and not"
                                + " '<error>'.");
        assertThat(compile(start + "@ZoidPlugin(id = 7, name = \"a\") record Demo() {}"))
                .containsExactly("record: Only an interface can be a plug-in.");
    }

    @Test
    void annotationsOfTypesAreNoObstacle() throws Exception {
        assertThat(
                        compileMembers(
                                """
                                @Of int f(@Of long a, @In @Sized("n") @Of int @Of [] b, @Of int n);
                                @java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE_USE)
                                @interface Of {}
                                """))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "@ZoidPlugin(id = NONE, name = \"a\") interface Demo extends PluginLifecycle {}",
                "@ZoidPlugin(id = 7, name = NONE) interface Demo extends PluginLifecycle {}",
                "@ZoidPlugin(id = 7, name = \"a\") interface Demo extends PluginLifecycle {"
                        + " int f(@In @Sized(NONE) int[] a); }",
                "@ZoidPlugin(id = 7, name = \"a\") interface Demo extends PluginLifecycle {"
                        + " int f(int n, @In @Sized(value = \"n\", elementBytes = NONE)"
                        + " java.lang.foreign.MemorySegment a); }"
            })
    void aConstantThatIsNotThereIsTheOnlyError(String source) throws Exception {
        assertThat(compile("package demo; import org.jbmi.zoid.forward.*;\n" + source))
                .singleElement()
                .asString()
                .startsWith("NONE: ")
                .contains("cannot find symbol");
    }

    @Test
    void functionsOfAnotherInterfaceAreAnErrorOfTheInterface() throws Exception {
        String start = "package demo; import org.jbmi.zoid.forward.*;\n";
        assertThat(
                        compile(
                                start
                                        + "@ZoidPlugin(id = 7, name = \"a\") interface Demo extends"
                                        + " PluginLifecycle, Other { int own(); }\n"
                                        + "interface Other { int f(int a); int own(); }"))
                .containsExactly(
                        "interface: The function 'f' of demo.Other must be in the interface of the"
                                + " plug-in itself.");
        assertThat(
                        compile(
                                start
                                        + "class Outer { @ZoidPlugin(id = 7, name = \"a\") private"
                                        + " interface Demo extends PluginLifecycle { int f(); } }"))
                .containsExactly(
                        "interface: The interface of a plug-in is not private, nor in a private"
                                + " class.");
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String type, String text) {
            super(URI.create("string:///demo/" + type + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
