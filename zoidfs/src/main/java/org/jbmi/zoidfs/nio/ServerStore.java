package org.jbmi.zoidfs.nio;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;

/** The file store of a server, without figures of its space. */
final class ServerStore extends FileStore {
    private final String address;

    ServerStore(String address) {
        this.address = address;
    }

    @Override
    public String name() {
        return address;
    }

    @Override
    public String type() {
        return ServerAddress.SCHEME;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    private static IOException unknown() {
        return new IOException("The protocol zoidfs has no call for the space of a server");
    }

    @Override
    public long getTotalSpace() throws IOException {
        throw unknown();
    }

    @Override
    public long getUsableSpace() throws IOException {
        throw unknown();
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
        throw unknown();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return type == BasicFileAttributeView.class
                || type == FileOwnerAttributeView.class
                || type == PosixFileAttributeView.class;
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return ZoidfsFileSystem.VIEWS.contains(name);
    }

    @Override
    public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) {
        throw new UnsupportedOperationException(
                attribute + " is not an attribute of a zoidfs server");
    }
}
