package org.jbmi.zoidfs.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Programs on a mount. Server, mount and programs run in a mount namespace of their own, so that
 * nothing is left whatever becomes of them.
 */
@Timeout(120)
class MountTest {
    @TempDir private Path folder;

    @BeforeEach
    void makeFolders() throws IOException {
        Files.createDirectory(folder.resolve("export"));
        Files.createDirectory(folder.resolve("mount"));
        Files.createDirectory(folder.resolve("local"));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** With -e a shell goes on after a failure behind "!", or in front of one of the others. */
    private static String checked(String script) {
        if (script.lines().anyMatch(line -> line.matches("\\s*! .*|.*(&&|\\|\\|).*"))) {
            throw new IllegalArgumentException("A failure of this would not be seen: " + script);
        }
        return script;
    }

    /** What the script printed, which ran where MOUNT is the mount. */
    private String onMount(String unchecked) throws IOException, InterruptedException {
        String script = checked(unchecked);
        String reason = ZoidfsMount.whyNot(MountProcess.library());
        assumeTrue(reason == null, reason);
        assumeTrue(mayUnshare(), "a mount namespace can be made only by who may");
        ProcessBuilder builder =
                new ProcessBuilder(
                        List.of(
                                "unshare",
                                "-m",
                                java(),
                                "-XX:TieredStopAtLevel=1",
                                "-Xmx256m",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                MountProcess.class.getName(),
                                folder.resolve("export").toString(),
                                folder.resolve("mount").toString(),
                                script));
        builder.environment()
                .putAll(
                        Map.of(
                                "MOUNT", folder.resolve("mount").toString(),
                                "EXPORT", folder.resolve("export").toString(),
                                "LOCAL", folder.resolve("local").toString(),
                                "JAVA", java() + " --enable-native-access=ALL-UNNAMED",
                                "CLASSPATH", System.getProperty("java.class.path"),
                                "PROJECT", Path.of("..").toRealPath().toString(),
                                "SOURCE", Path.of("src").toAbsolutePath().toString()));
        Process process = builder.redirectErrorStream(true).start();
        try (var out = process.getInputStream()) {
            return new String(out.readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static boolean mayUnshare() throws InterruptedException {
        try {
            return new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // there is no unshare
        }
    }

    @Test
    void aTreeIsCopiedThereAndBack() throws Exception {
        String said =
                onMount(
                        """
                        grep -q "$MOUNT fuse.zoidfs" /proc/mounts
                        mkdir "$LOCAL/tree"
                        tar -cf - -C "$PROJECT" --exclude=target --exclude=.git . \\
                            | tar -xf - -C "$LOCAL/tree"
                        cp -r "$LOCAL/tree" "$MOUNT/copied"
                        diff -r "$LOCAL/tree" "$EXPORT/copied"
                        cp -r "$MOUNT/copied" "$LOCAL/back"
                        diff -r "$LOCAL/tree" "$LOCAL/back"
                        tar -cf "$MOUNT/tree.tar" -C "$LOCAL/tree" .
                        mkdir "$MOUNT/unpacked"
                        tar -xf "$MOUNT/tree.tar" -C "$MOUNT/unpacked"
                        diff -r "$LOCAL/tree" "$MOUNT/unpacked"
                        head -c 1025 /dev/urandom > "$MOUNT/blocks"
                        [ "$(stat -c %b "$MOUNT/blocks")" = 3 ]
                        tar -cSf "$LOCAL/sparse.tar" -C "$MOUNT" blocks
                        tar -xf "$LOCAL/sparse.tar" -C "$LOCAL"
                        cmp "$MOUNT/blocks" "$LOCAL/blocks"
                        """);
        assertThat(said).contains(MountProcess.PASSED);
    }

    /** Works in MOUNT, and needs nothing that an ordinary folder has not. */
    private static final String USES_OF_FILES =
            """
            cd "$MOUNT"
            head -c 5000000 /dev/urandom > "$LOCAL/random"
            cp "$LOCAL/random" big
            cmp big "$LOCAL/random"
            printf abc > f
            printf def >> f
            [ "$(cat f)" = abcdef ]
            printf x > f
            [ "$(cat f)" = x ]
            ln -s f l
            [ "$(readlink l)" = f ]
            [ "$(cat l)" = x ]
            mkdir -p d/e
            mv f d/e/g
            [ "$(cat d/e/g)" = x ]
            [ ! -e f ]
            chmod 640 d/e/g
            [ "$(stat -c %a d/e/g)" = 640 ]
            touch -d '2001-02-03 04:05:06 UTC' d/e/g
            [ "$(stat -c %Y d/e/g)" = 981173106 ]
            truncate -s 100 d/e/g
            [ "$(stat -c %s d/e/g)" = 100 ]
            if rmdir d 2> "$LOCAL/said"; then exit 1; fi
            grep -q 'not empty' "$LOCAL/said"
            if rmdir big 2> "$LOCAL/said"; then exit 1; fi
            grep -q 'Not a directory' "$LOCAL/said"
            if cat none 2> "$LOCAL/said"; then exit 1; fi
            grep -q 'No such file' "$LOCAL/said"
            if sh -C -c ': > big' 2> /dev/null; then exit 1; fi
            cmp big "$LOCAL/random"
            exec 5> gone
            rm gone
            echo still >&5
            exec 5>&-
            [ ! -e gone ]
            name=$(printf 'n%.0s' $(seq 1 300))
            if touch "$name" 2> "$LOCAL/said"; then exit 1; fi
            grep -q 'too long' "$LOCAL/said"
            rm -r d
            [ "$(ls)" = "$(printf 'big\\nl')" ]
            """;

    @Test
    void filesOfAMountBehaveAsFilesDo() throws Exception {
        assertThat(onMount(USES_OF_FILES)).contains(MountProcess.PASSED);
    }

    /** So a failure on a mount is one of the mount. */
    @Test
    void filesOfAnOrdinaryFolderPassTheSameScript() throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", "-e", "-c", checked(USES_OF_FILES));
        builder.environment().put("MOUNT", folder.resolve("mount").toString());
        builder.environment().put("LOCAL", folder.resolve("local").toString());
        assertThat(builder.inheritIO().start().waitFor()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"! true", "false && true", "  ! true | cat\ntrue", "false || true"})
    void aScriptThatCannotFailIsRefused(String script) {
        assertThatThrownBy(() -> onMount(script)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void gitClonesAndTellsNoChanges() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/git")), "there is no git");
        String said =
                onMount(
                        """
                        export HOME="$LOCAL" GIT_CONFIG_NOSYSTEM=1
                        git config --global user.name tester
                        git config --global user.email tester@example.org
                        git config --global safe.directory '*'
                        mkdir "$LOCAL/origin"
                        cp -r "$SOURCE" "$LOCAL/origin/tree"
                        git init -q "$LOCAL/origin"
                        git -C "$LOCAL/origin" add .
                        git -C "$LOCAL/origin" commit -qm one
                        git clone -q --no-hardlinks "$LOCAL/origin" "$MOUNT/clone"
                        [ -z "$(git -C "$MOUNT/clone" status --porcelain)" ]
                        echo more > "$MOUNT/clone/more"
                        git -C "$MOUNT/clone" add more
                        git -C "$MOUNT/clone" commit -qm two
                        git -C "$MOUNT/clone" fsck --strict
                        git clone -q "$MOUNT/clone" "$LOCAL/again"
                        diff -r "$SOURCE" "$LOCAL/again/tree"
                        """);
        assertThat(said).contains(MountProcess.PASSED);
    }

    @Test
    void twoProcessesWriteOneDatabase() throws Exception {
        String said =
                onMount(
                        """
                        run="$JAVA -XX:TieredStopAtLevel=1 org.jbmi.zoidfs.fuse.SqliteWriter"
                        $run "$MOUNT/rows.db" one 40 &
                        first=$!
                        $run "$MOUNT/rows.db" two 40 &
                        second=$!
                        wait $first
                        wait $second
                        $run "$MOUNT/rows.db"
                        """);
        assertThat(said).contains("rows 80", "integrity ok", MountProcess.PASSED);
    }

    @Test
    void whatCannotBeMountedIsSaidInASentence() throws IOException {
        assertThat(ZoidfsMount.whyNot(folder.resolve("no-library"))).isNotNull();
        try (Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, "tcp://127.0.0.1:1", ClientOptions.DEFAULT)) {
            MountOptions options = new MountOptions(false, false, folder.resolve("no-library"));
            assertThatThrownBy(() -> ZoidfsMount.mount(client, folder.resolve("mount"), options))
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching("(?s).*(cannot be opened|cannot be loaded).*");
            String reason = ZoidfsMount.whyNot(MountProcess.library());
            assumeTrue(reason == null, reason);
            MountOptions usual = new MountOptions(false, false, MountProcess.library());
            assertThatThrownBy(() -> ZoidfsMount.mount(client, folder, usual))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is not empty");
            assertThatThrownBy(() -> ZoidfsMount.mount(client, folder.resolve("mount"), usual))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("did not answer");
        }
    }
}
