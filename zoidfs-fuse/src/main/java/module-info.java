/** Mounts the files of a zoidfs server, by FUSE. */
module org.jbmi.zoidfs.fuse {
    requires org.cryptomator.jfuse.api;
    requires static transitive org.jspecify;
    requires transitive org.jbmi.zoidfs;

    exports org.jbmi.zoidfs.fuse;
}
