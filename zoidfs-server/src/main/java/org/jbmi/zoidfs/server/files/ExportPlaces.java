package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;

/**
 * Finds the files of an export that requests name, by a whole path or by a directory and a name.
 * The kernel resolves paths, with the export as their root. Safe for use by any thread, if each
 * thread has its own {@link SystemCalls}.
 */
final class ExportPlaces {
    /** The longest path that the system accepts, in bytes without the NUL. */
    private static final int LONGEST_PATH = 4_095;

    private final ExportRoot root;

    ExportPlaces(ExportRoot root) {
        this.root = root;
    }

    /**
     * Opens the file that a specification names, with O_PATH; does not follow a link at the end.
     */
    int openPlace(SystemCalls calls, FileSpec spec) throws FileFailure {
        try (Place place = locate(calls, spec)) {
            if (place.name().isEmpty()) {
                return FileFailure.check(calls.open(place.directory(), ".", SystemCalls.O_PATH, 0));
            }
            String name = place.hasTrailingSlash() ? place.name() + "/" : place.name();
            int flags = SystemCalls.O_PATH | calls.noFollowFlag();
            if (place.hasTrailingSlash()) {
                // After a slash the kernel follows a link, and must do so beneath the root only.
                return FileFailure.check(
                        calls.openBeneath(
                                root.folder(),
                                root.folderPath(calls, place.directory()) + name,
                                flags));
            }
            return FileFailure.check(
                    root.withFreeDescriptors(
                            calls, () -> calls.open(place.directory(), name, flags, 0)));
        }
    }

    /** The text that a link gets when its target is given by a directory and a name. */
    String linkText(SystemCalls calls, FileSpec spec) throws FileFailure {
        FileHandle parent = spec.parent();
        if (parent == null) {
            return spec.text();
        }
        OpenFile file = root.use(calls, parent);
        try {
            return root.folderPath(calls, file.place) + spec.text();
        } finally {
            root.release(calls, file);
        }
    }

    /** Opens the directory of a name. The name in the result is never ".." and has no slash. */
    Place locate(SystemCalls calls, FileSpec spec) throws FileFailure {
        String text = spec.text();
        if (text.indexOf('\0') >= 0) {
            throw new FileFailure(Status.INVAL);
        }
        if (text.length() > LONGEST_PATH) {
            throw new FileFailure(Status.NAMETOOLONG);
        }
        FileHandle parent = spec.parent();
        if (parent == null) {
            if (text.isEmpty()) {
                throw new FileFailure(Status.STALE);
            }
            if (text.charAt(0) != '/') {
                throw new FileFailure(Status.OTHER);
            }
            return locatePath(calls, text);
        }
        OpenFile directory = root.use(calls, parent);
        boolean kept = false;
        try {
            FileStat stat = new FileStat();
            FileFailure.check(calls.stat(directory.place, "", stat));
            if (stat.type() != FileType.DIRECTORY) {
                throw new FileFailure(Status.NOTDIR);
            }
            if (text.indexOf('/') >= 0 || text.equals("..")) {
                return locatePath(calls, root.folderPath(calls, directory.place) + text);
            }
            String name = text.equals(".") ? "" : text;
            Place place =
                    new Place(directory.place, name, false, () -> root.release(calls, directory));
            kept = true;
            return place;
        } finally {
            if (!kept) {
                root.release(calls, directory);
            }
        }
    }

    private Place locatePath(SystemCalls calls, String path) throws FileFailure {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        int slash = path.lastIndexOf('/', end - 1);
        String name = path.substring(slash + 1, end);
        boolean whole = name.equals("..") || name.equals(".") || end == 0;
        String folder = whole || slash <= 0 ? (whole ? path : "/") : path.substring(0, slash);
        int directory =
                FileFailure.check(
                        root.withFreeDescriptors(
                                calls,
                                () ->
                                        calls.openBeneath(
                                                root.folder(),
                                                folder,
                                                SystemCalls.O_PATH | calls.directoryFlag())));
        try {
            return new Place(
                    directory,
                    whole ? "" : name,
                    end < path.length(),
                    () -> calls.close(directory));
        } catch (RuntimeException | Error e) {
            calls.close(directory);
            throw e;
        }
    }
}
