package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.FileType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;

/**
 * An export with another file system mounted in it: the server numbers the files of that one, also
 * if it uses handles of the file system for the others.
 */
@Timeout(60)
class MountInExportTest extends ServerFeature {
    private static final String MOUNTS =
            """
            mount -t tmpfs -o size=1m none %1$s/export
            mkdir -p %1$s/export/d/mounted
            mount -t tmpfs -o size=1m none %1$s/export/d/mounted
            """;

    @Test
    void aHandleLastsThoughTheFileIsRenamed() throws Exception {
        Files.createDirectory(folder.resolve("export"));
        String script = MOUNTS.formatted(folder);
        Namespaces.assumeMountsWork("a file system in the export", script);
        try (ServerProcess server =
                        ServerProcess.start(
                                Namespaces.withMounts(
                                        script,
                                        ServerProcess.command(
                                                ServerProcess.class,
                                                folder.resolve("export").toString(),
                                                folder.resolve("state/key").toString())));
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            client.makeDirectory(FileSpec.path("/d/mounted/one"), PLAIN);
            client.makeDirectory(FileSpec.path("/d/mounted/one/two"), PLAIN);
            FileHandle one = client.lookup(FileSpec.path("/d/mounted/one"));
            FileHandle two = client.lookup(FileSpec.path("/d/mounted/one/two"));
            client.rename(FileSpec.path("/d/mounted/one"), FileSpec.path("/d/mounted/new"));
            client.rename(FileSpec.path("/d"), FileSpec.path("/e"));
            for (FileHandle each : new FileHandle[] {one, two}) {
                assertThat(client.getAttributes(each).type()).isEqualTo(FileType.DIRECTORY);
            }
            assertThat(client.lookup(FileSpec.path("/e/mounted/new/two"))).isEqualTo(two);
        }
    }
}
