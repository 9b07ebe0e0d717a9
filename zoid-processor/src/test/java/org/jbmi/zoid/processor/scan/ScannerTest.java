package org.jbmi.zoid.processor.scan;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.forward.PluginLifecycle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A header becomes an interface that compiles, or a list of what is wrong with it. */
class ScannerTest {
    private static final String START =
            "/* START-ZOID-SCANNER ID=9 INIT=NULL FINI=NULL PROC=NULL */\n";

    @Test
    void aHeaderBecomesTheInterface() throws IOException {
        assertThat(source(resource("sample.h"))).isEqualTo(resource("Sample.java.txt"));
    }

    @Test
    void theInterfaceCompiles(@TempDir Path classes) throws IOException {
        assertThat(compile(source(resource("sample.h")), classes)).isEmpty();
    }

    @Test
    void structuresWithNamesThatTheInterfaceUsesGetOthers(@TempDir Path classes) {
        String header =
                """
                typedef struct { int a; } sample_t;
                typedef struct { int a; } cell_t;
                typedef struct { int a[2]; sample_t b[2]; } in_t;
                typedef struct { double a; } list_t;
                struct string { double a[2]; };
                struct integer { int a; };
                """;
        String source =
                source(
                        header
                                + START
                                + "int sample_x(sample_t *a /* in:ptr */, cell_t *b /* inout:ptr"
                                + " */, in_t *c /* in:ptr */, list_t *d /* in:ptr */, struct string"
                                + " *e /* in:ptr */, struct integer *f /* in:ptr */, char *g /*"
                                + " in:str */);");
        assertThat(compile(source, classes)).isEmpty();
        assertThat(source)
                .contains("@In Sample_ a", "@InOut Cell<Cell_> b", "record Sample_(int a) {}");
    }

    @Test
    void absoluteAndRelativeSizesAreTheSame() {
        String prototype = "int f_x(int a, char *b /* out:arr:size=%s */, long c);";
        String absolute = source(START + prototype.formatted("3"));
        assertThat(source(START + prototype.formatted("+1"))).isEqualTo(absolute);
        assertThat(absolute).contains("@Out @Sized(\"c\") MemorySegment b");
    }

    @Test
    void whatStandsAboveTheStartLineIsIgnored() {
        String odd =
                "typedef int (*callback)(void *);\nstruct { union { int a; } u; } v = { 1 };\n";
        assertThat(source(odd + START + "int f_x(int a);")).contains("int x(int a)");
    }

    @Test
    void fieldsOfTheStartLineMayBeMissingButTheNumber() {
        assertThat(source("/* START-ZOID-SCANNER ID=9 */ int f_x(int a);")).contains("id = 9");
        assertThat(problems("/* START-ZOID-SCANNER INIT=NULL */ int f_x(int a);"))
                .containsExactly(
                        "1: The start line needs the number of the plug-in: ID=1 to 65535.");
    }

    /** A size that takes too many steps, or too many brackets, is one that cannot be read. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // it would never end
    void aSizeThatHasNoEndIsSaid(boolean isNested) {
        StringBuilder header = new StringBuilder();
        if (isNested) {
            header.append("#define A7 " + "(".repeat(20_000) + "1" + ")".repeat(20_000) + "\n");
        } else {
            header.append("#define A0 0\n");
            for (int i = 1; i <= 7; i++) {
                String names = String.join("+", Collections.nCopies(40, "A" + (i - 1)));
                header.append("#define A" + i + " " + names + "\n");
            }
        }
        header.append(
                "struct s { int a[A7+1]; };\n" + START + "int f_x(struct s *a /* in:ptr */);");
        assertThat(problems(header.toString())).isNotEmpty();
    }

    @Test
    void aHeaderWithoutAStartLineSaysSo() {
        assertThat(problems("int f_x(int a);"))
                .singleElement()
                .asString()
                .contains("no start line");
    }

    @Test
    void allThatIsWrongIsSaid() {
        assertThat(
                        problems(
                                START
                                        + "int f_a(int *p /* out:arr */);\n"
                                        + "int f_b(int a, ...);\n"
                                        + "char *f_c(void);\n"
                                        + "int f_ok(int a);\n"))
                .extracting(problem -> problem.substring(0, 2))
                .containsExactly("2:", "3:", "4:");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    int f_x(int a /* out:obj */);                               | can only go in
                    int f_x(int a /* obj:nullok */);                            | nullok is for
                    int f_x(int a /* in:obj:size=1 */);                         | size is for arrays
                    int f_x(int a /* in:obj:zerocopy */);                       | zerocopy is for arrays
                    int f_x(char *a /* in:arr */, int n);                       | needs the hint size
                    int f_x(char *a /* in:arr:size=+2 */, int n);               | names no parameter
                    int f_x(char *a /* in:arr:size=-1 */, int n);               | names no parameter
                    int f_x(char *a /* in:arr:size=1 */, int n);                | names the array itself
                    int f_x(char *a /* in:arr:size=2 */, double n);             | whole number
                    int f_x(char *a /* out:arr:size=2 */, int *n /* out:ptr */); | must go in
                    int f_x(char **a /* in:arr2d:size=2 */, int n);             | must be an arr
                    int f_x(char *a /* in:arr:size=2:userbuf */, int n);        | userbuf is for
                    int f_x(int *a /* in:arr:size=2:zerocopy:userbuf */, int n); | elements of one byte
                    int f_x(char *a /* inout:arr:size=2:zerocopy:userbuf */, int n); | not both
                    int f_x(char *a /* in:arr:size=3:zerocopy */, char *b /* in:arr:size=3:zerocopy */, int n); | at most one
                    int f_x(char *a /* in:str:wide */);                         | is no hint
                    int f_x(char *a /* in:out:str */);                          | Two directions
                    int f_x(char *a /* str:ptr */);                             | Two kinds
                    int f_x(char *a /* in:arr:size=n */, int n);                | must be size=N
                    int f_x(char *a);                                           | is no obj
                    int f_x(char a /* in:str */);                               | is no str
                    int f_x(int *a /* in:str */);                               | not of char
                    int f_x(void *a /* in:ptr */);                              | must be an arr
                    int f_x(bool *a /* out:ptr */);                             | use an int
                    int f_x(_Bool *a /* in:ptr */);                             | use an int
                    int f_x(thing_t a);                                         | is not declared above
                    int f_x(const void *a /* in:arr:size=+1 */ int n);          | comma is missing
                    int f_x(int a, /* in:obj */ int b);                         | behind the comma
                    int f_x(int a, ...);                                        | any number of arguments
                    int f_x(int (*a)(void));                                    | cannot be forwarded
                    char *f_x(int a);                                           | returns
                    int f_x(int);                                               | needs a type and a name
                    int f_x(int a)                                              | is missing behind
                    int f_x;                                                    | is no function
                    typedef int number;                                         | above the start line
                    struct s { int a; };                                        | above the start line
                    int f_x(int a); int f_x(int b);                             | two functions
                    int f_a_b(int a); int f_aB(int b);                          | two functions
                    int f_x(int a_b, int aB);                                   | two parameters
                    int f_x(twice_t *a /* in:ptr */);                           | two members
                    int f_p(char *b /* in:arr:size=2:zerocopy:userbuf */, int n); int f_p_allocate(int n); | two functions
                    int f_p_allocate(int n); int f_p(char *b /* in:arr:size=2:zerocopy:userbuf */, int n); | two functions
                    int f_x(char *b /* in:arr:size=2 */, int *n /* inout:ptr:nullok */); | must not be nullok
                    %%%;                                                        | is no prototype
                    /* no end                                                   | has no end
                    """)
    void aWrongHeaderIsRefusedInWords(String header, String sentence) {
        String twice = "typedef struct { int a_b; int aB; } twice_t; ";
        assertThat(problems(twice + START + header))
                .allMatch(problem -> problem.startsWith(header.contains("twice") ? "1: " : "2: "))
                .anyMatch(problem -> problem.contains(sentence));
    }

    /** As headers that people have write them: sums in brackets, and several members of a type. */
    @Test
    void sizesMayBeSumsAndMembersMayShareTheirType() {
        String header =
                """
                #define NAME_MOST 255 /* without the end */
                #define ENTRY_BYTES (2 * (NAME_MOST + 1)) // both
                #define SHIFTED (1 << 3)
                #define ITSELF ITSELF + 1
                typedef struct { char name[NAME_MOST+1]; uint32_t user, group; } entry_t;
                typedef struct { char both[ENTRY_BYTES], flags[SHIFTED / 4 - 0x1u]; } pair_t;
                typedef struct { char odd[ITSELF]; } odd_t;
                typedef struct { char huge[1 << 31]; } huge_t;
                typedef struct { char other[sizeof(int)]; } other_t;
                typedef struct { int count; char none[0]; } none_t;
                typedef struct { int count; char rest[]; } rest_t;
                """;
        assertThat(
                        source(
                                header
                                        + START
                                        + "int f_x(entry_t *a /* in:ptr */, pair_t *b /* in:ptr"
                                        + " */);"))
                .contains(
                        "(byte[] name /* 256 */, int user, int group)",
                        "(byte[] both /* 512 */, byte[] flags /* 1 */)");
        for (String type : List.of("odd_t", "huge_t", "other_t", "none_t", "rest_t")) {
            assertThat(problems(header + START + "int f_x(" + type + " *a /* in:ptr */);"))
                    .singleElement()
                    .asString()
                    .contains("is not declared above");
        }
    }

    @Test
    void aStructureWithAddressesIsRefused() {
        String header =
                "struct s { struct s *next; };\n" + START + "int f_x(struct s *a /* in:ptr */);";
        assertThat(problems(header)).anyMatch(problem -> problem.contains("addresses"));
    }

    @Test
    void twoStructuresOfOneJavaNameAreRefused() {
        String header =
                """
                struct point { int x, y; };
                typedef struct { double a, b, c; } point_t;
                """;
        String both = "int f_x(struct point *a /* in:ptr */,\npoint_t *b /* in:ptr */);";
        assertThat(problems(header + START + both))
                .containsExactly(
                        "5: Two structures become the record 'Point' in Java, with different"
                                + " members: rename 'point_t'.");
        String same = "struct point { int x, y; };\ntypedef struct { int x; int y; } point_t;\n";
        assertThat(source(same + START + both)).containsOnlyOnce("record Point(int x, int y)");
    }

    @ParameterizedTest
    @MethodSource
    void aFunctionDoesNotTakeThePlaceOfAMethodOfEveryPlugin(String name) {
        assertThat(source(START + "int " + name + "(int a);")).contains("int " + name + "_(int a)");
    }

    static Stream<String> aFunctionDoesNotTakeThePlaceOfAMethodOfEveryPlugin() {
        return Stream.of(PluginLifecycle.class.getMethods()).map(Method::getName);
    }

    @ParameterizedTest
    @CsvSource({"ID=65536", "ID=x", "ID=0", "ID=1 ID=2", "ID=1 MORE=2", "ID=1 INIT=a-b"})
    void aWrongStartLineIsRefused(String fields) {
        assertThat(problems("/* START-ZOID-SCANNER " + fields + " */\nint f_x(int a);"))
                .singleElement()
                .asString()
                .startsWith("1: ");
    }

    private static String source(String header) {
        Scanner.Result result = Scanner.scan(header, new Scanner.Options("sample.h", "example"));
        assertThat(result.problems()).isEmpty();
        return Objects.requireNonNull(result.source());
    }

    private static List<String> problems(String header) {
        Scanner.Result result = Scanner.scan(header, new Scanner.Options("sample.h", "example"));
        assertThat(result.source()).isNull();
        return result.problems().stream().map(p -> p.line() + ": " + p.sentence()).toList();
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(ScannerTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** What the compiler says of a source, warnings too. */
    private static List<?> compile(String source, Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        JavaFileObject file =
                new SimpleJavaFileObject(
                        URI.create("string:///example/Sample.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options =
                List.of(
                        "-d",
                        classes.toString(),
                        "-Xlint:all,-processing",
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"));
        compiler.getTask(null, null, diagnostics, options, null, List.of(file)).call();
        return diagnostics.getDiagnostics();
    }
}
