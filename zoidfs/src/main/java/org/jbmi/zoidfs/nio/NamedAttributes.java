package org.jbmi.zoidfs.nio;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Attributes by their names: {@code basic:size}, {@code posix:permissions}, {@code unix:mode}. */
final class NamedAttributes {
    private static final Map<String, Function<FileFacts, @Nullable Object>> BASIC = basic();
    private static final Map<String, Function<FileFacts, @Nullable Object>> OWNER =
            Map.of("owner", FileFacts::owner);
    private static final Map<String, Function<FileFacts, @Nullable Object>> POSIX = posix();
    private static final Map<String, Function<FileFacts, @Nullable Object>> UNIX = unix();

    private NamedAttributes() {}

    private static Map<String, Function<FileFacts, @Nullable Object>> basic() {
        Map<String, Function<FileFacts, @Nullable Object>> known = new LinkedHashMap<>();
        known.put("lastModifiedTime", FileFacts::lastModifiedTime);
        known.put("lastAccessTime", FileFacts::lastAccessTime);
        known.put("creationTime", FileFacts::creationTime);
        known.put("size", FileFacts::size);
        known.put("isRegularFile", FileFacts::isRegularFile);
        known.put("isDirectory", FileFacts::isDirectory);
        known.put("isSymbolicLink", FileFacts::isSymbolicLink);
        known.put("isOther", FileFacts::isOther);
        known.put("fileKey", FileFacts::fileKey);
        return Collections.unmodifiableMap(known);
    }

    private static Map<String, Function<FileFacts, @Nullable Object>> posix() {
        Map<String, Function<FileFacts, @Nullable Object>> known = new LinkedHashMap<>(basic());
        known.put("owner", FileFacts::owner);
        known.put("group", FileFacts::group);
        known.put("permissions", FileFacts::permissions);
        return Collections.unmodifiableMap(known);
    }

    private static Map<String, Function<FileFacts, @Nullable Object>> unix() {
        Map<String, Function<FileFacts, @Nullable Object>> known = new LinkedHashMap<>(posix());
        known.put("mode", facts -> facts.raw().mode() | typeBits(facts));
        known.put("ino", facts -> facts.raw().fileid());
        known.put("dev", facts -> Integer.toUnsignedLong(facts.raw().fsid()));
        known.put("nlink", facts -> facts.raw().nlink());
        known.put("uid", facts -> facts.raw().uid());
        known.put("gid", facts -> facts.raw().gid());
        known.put("ctime", FileFacts::changeTime);
        return Collections.unmodifiableMap(known);
    }

    private static int typeBits(FileFacts facts) {
        if (facts.isRegularFile()) {
            return 0100000;
        }
        if (facts.isDirectory()) {
            return 0040000;
        }
        return facts.isSymbolicLink() ? 0120000 : 0;
    }

    private static Map<String, Function<FileFacts, @Nullable Object>> view(String name) {
        return switch (name) {
            case "basic" -> BASIC;
            case "owner" -> OWNER;
            case "posix" -> POSIX;
            case "unix" -> UNIX;
            default -> throw new UnsupportedOperationException("There is no view " + name);
        };
    }

    private static String viewOf(String attributes) {
        int colon = attributes.indexOf(':');
        return colon < 0 ? "basic" : attributes.substring(0, colon);
    }

    private static String namesOf(String attributes) {
        return attributes.substring(attributes.indexOf(':') + 1);
    }

    static Map<String, Object> read(ZoidfsPath path, boolean followLinks, String attributes)
            throws IOException {
        Map<String, Function<FileFacts, @Nullable Object>> known = view(viewOf(attributes));
        Set<String> wanted = new HashSet<>();
        for (String name : namesOf(attributes).split(",", -1)) {
            if (name.equals("*")) {
                wanted.addAll(known.keySet());
            } else if (known.containsKey(name)) {
                wanted.add(name);
            } else {
                throw new IllegalArgumentException("There is no attribute " + name);
            }
        }
        FileFacts facts = path.getFileSystem().operations().facts(path, followLinks);
        Map<String, Object> found = new HashMap<>();
        known.forEach(
                (name, getter) -> {
                    Object value = wanted.contains(name) ? getter.apply(facts) : null;
                    if (value != null) {
                        found.put(name, value);
                    }
                });
        return found;
    }

    static void set(ZoidfsPath path, boolean followLinks, String attribute, Object value)
            throws IOException {
        String name = namesOf(attribute);
        if (!view(viewOf(attribute)).containsKey(name)) {
            throw new IllegalArgumentException("There is no attribute " + attribute);
        }
        FileView view = new FileView("posix", path, followLinks);
        switch (name) {
            case "lastModifiedTime" -> view.setTimes((FileTime) value, null, null);
            case "lastAccessTime" -> view.setTimes(null, (FileTime) value, null);
            case "creationTime" -> view.setTimes(null, null, (FileTime) value);
            case "owner" -> view.setOwner((UserPrincipal) value);
            case "group" -> view.setGroup((GroupPrincipal) value);
            case "permissions" -> view.setMode(mode(value));
            case "mode" -> view.setMode((Integer) value & 07777);
            case "uid" -> view.setOwners((Integer) value, null);
            case "gid" -> view.setOwners(null, (Integer) value);
            default -> throw new IllegalArgumentException(attribute + " cannot be set");
        }
    }

    private static int mode(Object permissions) {
        int mode = 0;
        for (Object each : (Set<?>) permissions) {
            mode |= FileFacts.mode(Set.of((PosixFilePermission) each));
        }
        return mode;
    }

    /** The mode among attributes for a new file, or one by default. */
    static int mode(List<FileAttribute<?>> attributes, int byDefault) {
        int mode = byDefault;
        for (FileAttribute<?> attribute : attributes) {
            mode =
                    switch (attribute.name()) {
                        case "posix:permissions" -> mode(attribute.value());
                        case "unix:mode" -> (Integer) attribute.value() & 07777;
                        default ->
                                throw new UnsupportedOperationException(
                                        attribute.name() + " cannot be given to a new file");
                    };
        }
        return mode;
    }
}
