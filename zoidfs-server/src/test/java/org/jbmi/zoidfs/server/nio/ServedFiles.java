package org.jbmi.zoidfs.server.nio;

import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A server, and the file system of its files. */
abstract class ServedFiles {
    @TempDir Path folder;
    Bmi bmi;
    ZoidfsServer server;
    URI uri;
    FileSystem files;

    @BeforeEach
    void start() throws IOException {
        bmi = serving();
        server = serve(bmi, Files.createDirectory(folder.resolve("export")));
        uri = uriOf(bmi);
        files = FileSystems.newFileSystem(uri, Map.of("chunkBytes", 100_000, "timeoutMs", "20000"));
    }

    static Bmi serving() {
        return Bmi.builder()
                .automaticReferences(true)
                .knob("tcp.bindSpecific", "true")
                .listen("tcp://127.0.0.1:0")
                .open();
    }

    static ZoidfsServer serve(Bmi bmi, Path export) throws IOException {
        return ZoidfsServer.serve(
                bmi, ExportSettings.of(export, ExportKey.random()), Dialect.MAIN, Limits.DEFAULT);
    }

    static URI uriOf(Bmi bmi) {
        return URI.create("zoidfs://127.0.0.1:" + bmi.getOption(TcpOptions.PORT) + "/");
    }

    @AfterEach
    void stop() throws IOException {
        files.close();
        server.close();
        bmi.close();
    }

    Path path(String text) {
        return files.getPath(text);
    }

    Path local(String name) {
        return folder.resolve("export").resolve(name);
    }
}
