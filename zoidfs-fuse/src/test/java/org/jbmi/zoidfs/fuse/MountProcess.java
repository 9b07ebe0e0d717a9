package org.jbmi.zoidfs.fuse;

import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** Serves a folder, mounts it, runs a script there, and says what became of it. */
final class MountProcess {
    static final String PASSED = "the script passed";

    private MountProcess() {}

    /** The folder to be served, the one to mount at, the script. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        ExportSettings export = ExportSettings.of(Path.of(arguments[0]), ExportKey.random());
        MountOptions options = new MountOptions(false, false, library());
        try (Bmi bmi =
                        Bmi.builder()
                                .automaticReferences(true)
                                .knob("tcp.bindSpecific", "true")
                                .listen("tcp://127.0.0.1:0")
                                .open();
                ZoidfsServer server =
                        ZoidfsServer.serve(bmi, export, Dialect.MAIN, Limits.DEFAULT);
                Bmi own = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(
                                own,
                                "tcp://127.0.0.1:" + bmi.getOption(TcpOptions.PORT),
                                ClientOptions.DEFAULT);
                ZoidfsMount mount = ZoidfsMount.mount(client, Path.of(arguments[1]), options)) {
            int status =
                    new ProcessBuilder("sh", "-e", "-c", arguments[2])
                            .redirectErrorStream(true)
                            .inheritIO()
                            .start()
                            .waitFor();
            System.out.println(status == 0 ? PASSED : "the script ended with " + status);
            System.out.println("calls under way " + server.calls() + ", of " + mount);
        }
    }

    /** Where a test finds libfuse3, if not where it is installed. */
    static @Nullable Path library() {
        String named = System.getenv("JBMI_LIBFUSE");
        return named == null ? null : Path.of(named);
    }
}
