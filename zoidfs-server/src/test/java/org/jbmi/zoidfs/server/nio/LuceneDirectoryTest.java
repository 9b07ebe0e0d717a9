package org.jbmi.zoidfs.server.nio;

import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.SimpleFSLockFactory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Map;

/** Lucene's own tests of a directory, on the files of a server. */
public class LuceneDirectoryTest extends BaseDirectoryTestCase {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");

    private Bmi bmi;
    private ZoidfsServer server;
    private FileSystem files;

    @Override
    public void setUp() throws Exception {
        super.setUp();
        bmi =
                Bmi.builder()
                        .automaticReferences(true)
                        .knob("tcp.bindSpecific", "true")
                        .listen("tcp://127.0.0.1:0")
                        .open();
        server =
                ZoidfsServer.serve(
                        bmi,
                        ExportSettings.of(createTempDir().getParent(), ExportKey.random()),
                        Dialect.MAIN,
                        Limits.DEFAULT);
        URI uri = URI.create("zoidfs://127.0.0.1:" + bmi.getOption(TcpOptions.PORT) + "/");
        files = FileSystems.newFileSystem(uri, Map.of());
    }

    @Override
    public void tearDown() throws Exception {
        files.close();
        server.close();
        bmi.close();
        super.tearDown();
    }

    /** The server exports what is around the test's folder, so this is the same one. */
    @Override
    protected Directory getDirectory(Path path) throws IOException {
        Path there = files.getPath("/" + path.getFileName());
        return new NIOFSDirectory(there, SimpleFSLockFactory.INSTANCE);
    }

    /** It waits for a planted file system around the local path, which is not asked here. */
    @Override
    public void testPendingDeletions() {
        assumeTrue("no virus checker on a server", false);
    }

    @Override
    public void testPrefetch() throws IOException {
        assumeTrue("takes long", LONG);
        super.testPrefetch();
    }

    @Override
    public void testPrefetchOnSlice() throws IOException {
        assumeTrue("takes long", LONG);
        super.testPrefetchOnSlice();
    }

    @Override
    public void testThreadSafetyInListAll() throws Exception {
        assumeTrue("takes long", LONG);
        super.testThreadSafetyInListAll();
    }

    @Override
    public void testRandomInt() throws Exception {
        assumeTrue("takes long", LONG);
        super.testRandomInt();
    }

    @Override
    public void testRandomLong() throws Exception {
        assumeTrue("takes long", LONG);
        super.testRandomLong();
    }
}
