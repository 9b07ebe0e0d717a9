/** Files of another host over BMI: the protocol, a client, a file system for java.nio. */
module org.jbmi.zoidfs {
    requires static transitive org.jspecify;
    requires transitive org.jbmi.api;

    exports org.jbmi.zoidfs.client;
    exports org.jbmi.zoidfs.nio;
    exports org.jbmi.zoidfs.protocol;

    provides java.nio.file.spi.FileSystemProvider with
            org.jbmi.zoidfs.nio.ZoidfsFileSystemProvider;
}
