package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.util.Objects;

/**
 * Runs all operations except reads and writes. May wait for the disk. Safe for use by any thread,
 * if each thread has its own {@link SystemCalls}.
 */
public final class FileTree {
    private static final int DEFAULT_FILE_MODE = 0666;
    private static final int DEFAULT_DIRECTORY_MODE = 0777;

    /** How often to make a file that other processes make and remove. */
    private static final int MAX_TRIES = 8;

    private final ExportRoot root;
    private final ExportPlaces places;
    private final DirectoryLister lister;

    /** Operations on an export. */
    public FileTree(ExportRoot root) {
        this.root = root;
        this.places = new ExportPlaces(root);
        this.lister = new DirectoryLister(root);
    }

    /**
     * Runs one operation. The status of the reply reports a failure.
     *
     * @param listBytes how long the list of a directory may be, in bytes on the wire
     */
    public Reply run(SystemCalls calls, Request request, long listBytes) {
        try {
            return switch (request.operation()) {
                case NULL -> Reply.status(Status.OK);
                case GET_ATTR -> getAttributes(calls, request);
                case SET_ATTR -> setAttributes(calls, request);
                case LOOKUP -> lookup(calls, first(request));
                case READLINK -> readLink(calls, request);
                case COMMIT -> commit(calls, request);
                case CREATE -> create(calls, request);
                case REMOVE -> remove(calls, first(request));
                case RENAME -> rename(calls, first(request), second(request));
                case SYMLINK -> symlink(calls, request);
                case MKDIR -> makeDirectory(calls, request);
                case READDIR -> lister.list(calls, request, listBytes);
                case RESIZE -> resize(calls, request);
                case LINK -> link(calls, first(request), second(request));
                case READ, WRITE -> throw new IllegalArgumentException("Not for this class");
            };
        } catch (FileFailure e) {
            return Reply.status(e.status());
        }
    }

    private static FileSpec first(Request request) {
        return Objects.requireNonNull(request.first());
    }

    private static FileSpec second(Request request) {
        return Objects.requireNonNull(request.second());
    }

    private static SettableAttributes settable(Request request) {
        return Objects.requireNonNull(request.settable());
    }

    private OpenFile use(SystemCalls calls, Request request) throws FileFailure {
        return root.use(calls, Objects.requireNonNull(request.handle()));
    }

    private static FileStat stat(SystemCalls calls, OpenFile file) throws FileFailure {
        return stat(calls, file.place);
    }

    private static FileStat stat(SystemCalls calls, int place) throws FileFailure {
        FileStat stat = new FileStat();
        FileFailure.check(calls.stat(place, "", stat));
        return stat;
    }

    private Reply getAttributes(SystemCalls calls, Request request) throws FileFailure {
        FileStat stat = new FileStat();
        OpenFile file = root.use(calls, Objects.requireNonNull(request.handle()), stat);
        root.release(calls, file);
        return attributes(request, stat);
    }

    /** The reply to a request for attributes. */
    public static Reply attributes(Request request, FileStat stat) {
        Attributes asked = Objects.requireNonNull(request.attributes());
        return Reply.attributes(asked.answeredFrom(stat.attributes()), request.hints());
    }

    private Reply setAttributes(SystemCalls calls, Request request) throws FileFailure {
        OpenFile file = use(calls, request);
        try {
            SettableAttributes settable = settable(request);
            if ((settable.mask() & AttributeMask.SETTABLE) != 0) {
                root.checkWritable();
                change(calls, file.place, settable);
            }
            return attributes(request, stat(calls, file));
        } finally {
            root.release(calls, file);
        }
    }

    private static void checkTimes(SettableAttributes settable) throws FileFailure {
        if ((settable.has(AttributeMask.ATIME) && !settable.atime().isValid())
                || (settable.has(AttributeMask.MTIME) && !settable.mtime().isValid())) {
            throw new FileFailure(Status.INVAL);
        }
    }

    /** Changes the owner first, because that clears bits of the mode. */
    private static void change(SystemCalls calls, int place, SettableAttributes settable)
            throws FileFailure {
        checkTimes(settable);
        if (settable.has(AttributeMask.UID) || settable.has(AttributeMask.GID)) {
            FileFailure.check(
                    calls.changeOwner(
                            place,
                            settable.has(AttributeMask.UID) ? settable.uid() : -1,
                            settable.has(AttributeMask.GID) ? settable.gid() : -1));
        }
        if (settable.has(AttributeMask.MODE)) {
            FileFailure.check(calls.changeMode(place, settable.mode() & 07777));
        }
        FileFailure.check(changeTimes(calls, place, settable));
    }

    private static int changeTimes(SystemCalls calls, int file, SettableAttributes settable) {
        boolean access = settable.has(AttributeMask.ATIME);
        boolean write = settable.has(AttributeMask.MTIME);
        if (!access && !write) {
            return 0;
        }
        return calls.changeTimes(
                file,
                settable.atime().seconds(),
                access ? settable.atime().nanos() : SystemCalls.OMIT,
                settable.mtime().seconds(),
                write ? settable.mtime().nanos() : SystemCalls.OMIT);
    }

    private Reply lookup(SystemCalls calls, FileSpec spec) throws FileFailure {
        int place = places.openPlace(calls, spec);
        try {
            return Reply.handle(handleOf(calls, place), false);
        } finally {
            calls.close(place);
        }
    }

    private FileHandle handleOf(SystemCalls calls, int place) throws FileFailure {
        return root.handleOf(calls, place, stat(calls, place));
    }

    private Reply readLink(SystemCalls calls, Request request) throws FileFailure {
        OpenFile file = use(calls, request);
        try {
            if (stat(calls, file).type() != FileType.SYMLINK) {
                // C servers answer this number, and C clients check for it.
                throw new FileFailure(Status.OTHER);
            }
            int length = FileFailure.check(calls.readLink(file.place, ""));
            // The length includes a NUL, which the reply does not have.
            long room = request.number() < 0 ? Long.MAX_VALUE : Math.max(0, request.number() - 1);
            return Reply.text(calls.linkText((int) Math.min(length, room)));
        } finally {
            root.release(calls, file);
        }
    }

    private Reply commit(SystemCalls calls, Request request) throws FileFailure {
        OpenFile file = use(calls, request);
        try {
            int type = stat(calls, file).type();
            if (type == FileType.REGULAR) {
                FileFailure.check(calls.sync(file.anyContent(calls)));
            } else if (type == FileType.DIRECTORY) {
                int directory =
                        FileFailure.check(
                                root.withFreeDescriptors(
                                        calls,
                                        () ->
                                                calls.open(
                                                        file.place,
                                                        ".",
                                                        calls.directoryFlag(),
                                                        0)));
                int result = calls.sync(directory);
                calls.close(directory);
                FileFailure.check(result);
            }
            return Reply.status(Status.OK);
        } finally {
            root.release(calls, file);
        }
    }

    private Reply resize(SystemCalls calls, Request request) throws FileFailure {
        OpenFile file = use(calls, request);
        try {
            if (request.number() < 0) {
                throw new FileFailure(Status.FBIG);
            }
            FileFailure.check(calls.truncate(file.content(calls, true), request.number()));
            return Reply.status(Status.OK);
        } finally {
            root.release(calls, file);
        }
    }

    private Reply create(SystemCalls calls, Request request) throws FileFailure {
        SettableAttributes settable = settable(request);
        checkTimes(settable);
        try (Place place = places.locate(calls, first(request))) {
            if (place.isDirectoryItself() || place.hasTrailingSlash()) {
                throw new FileFailure(Status.ISDIR);
            }
            for (int tries = 1; ; tries++) {
                int made = root.isReadOnly() ? -Errno.EEXIST : make(calls, place, settable);
                if (made >= 0) {
                    return Reply.handle(initializeAndKeep(calls, made, settable), true);
                }
                if (made != -Errno.EEXIST) {
                    throw FileFailure.of(made);
                }
                int found =
                        root.withFreeDescriptors(
                                calls, () -> calls.openPlace(place.directory(), place.name()));
                if (found != -Errno.ENOENT) {
                    return existing(calls, FileFailure.check(found));
                }
                root.checkWritable();
                // Another process has removed the file since.
                if (tries == MAX_TRIES) {
                    throw new FileFailure(Status.NOENT);
                }
            }
        }
    }

    private int make(SystemCalls calls, Place place, SettableAttributes settable) {
        int flags =
                SystemCalls.O_CREAT
                        | SystemCalls.O_EXCL
                        | SystemCalls.O_RDWR
                        | calls.noFollowFlag();
        return root.withFreeDescriptors(
                calls,
                () ->
                        calls.open(
                                place.directory(),
                                place.name(),
                                flags,
                                mode(settable, DEFAULT_FILE_MODE)));
    }

    /**
     * Sets the attributes of a new file and keeps its descriptor. The client that creates a file
     * may write it, whatever its mode is. A later descriptor would need the right.
     */
    private FileHandle initializeAndKeep(SystemCalls calls, int made, SettableAttributes settable)
            throws FileFailure {
        try {
            initialize(calls, made, settable);
        } catch (FileFailure | RuntimeException | Error e) {
            calls.close(made);
            throw e;
        }
        return root.keep(calls, made);
    }

    /** The reply for a file that exists already, which this closes. */
    private Reply existing(SystemCalls calls, int found) throws FileFailure {
        try {
            FileStat stat = stat(calls, found);
            if (stat.type() == FileType.DIRECTORY) {
                throw new FileFailure(Status.ISDIR);
            }
            return Reply.handle(root.handleOf(calls, found, stat), false);
        } finally {
            calls.close(found);
        }
    }

    private static int mode(SettableAttributes settable, int byDefault) {
        return settable.has(AttributeMask.MODE) ? settable.mode() & 07777 : byDefault;
    }

    /**
     * Sets the requested attributes of a new file: the mode exactly, whatever the mask of this
     * process is. A failure to set an owner or a time is ignored, and the file stays.
     */
    private static void initialize(SystemCalls calls, int file, SettableAttributes settable)
            throws FileFailure {
        if (settable.has(AttributeMask.UID) || settable.has(AttributeMask.GID)) {
            calls.changeOwner(
                    file,
                    settable.has(AttributeMask.UID) ? settable.uid() : -1,
                    settable.has(AttributeMask.GID) ? settable.gid() : -1);
        }
        if (settable.has(AttributeMask.MODE)) {
            FileFailure.check(calls.changeMode(file, settable.mode() & 07777));
        }
        changeTimes(calls, file, settable);
    }

    private Reply remove(SystemCalls calls, FileSpec spec) throws FileFailure {
        root.checkWritable();
        try (Place place = places.locate(calls, spec)) {
            if (place.isDirectoryItself()) {
                throw new FileFailure(Status.INVAL);
            }
            FileStat before = new FileStat();
            boolean known = calls.stat(place.directory(), place.name(), before) == 0;
            int result =
                    place.hasTrailingSlash()
                            ? -Errno.EISDIR
                            : calls.unlink(place.directory(), place.name(), 0);
            // Linux returns EISDIR, POSIX and some file systems EPERM.
            if (result == -Errno.EISDIR || result == -Errno.EPERM) {
                int asDirectory =
                        calls.unlink(place.directory(), place.name(), SystemCalls.AT_REMOVEDIR);
                if (asDirectory != -Errno.ENOTDIR || place.hasTrailingSlash()) {
                    result = asDirectory;
                }
            }
            FileFailure.check(result);
            lost(calls, known, before);
            return Reply.status(Status.OK);
        }
    }

    /** Closes a file that has lost its last name, so that the system removes it. */
    private void lost(SystemCalls calls, boolean known, FileStat before) {
        if (known && (before.links() <= 1 || before.type() == FileType.DIRECTORY)) {
            root.removed(calls, before);
        }
    }

    private Reply rename(SystemCalls calls, FileSpec from, FileSpec to) throws FileFailure {
        root.checkWritable();
        try (Place source = places.locate(calls, from);
                Place target = places.locate(calls, to)) {
            if (source.isDirectoryItself() || target.isDirectoryItself()) {
                throw new FileFailure(Status.INVAL);
            }
            FileStat replaced = new FileStat();
            boolean known = calls.stat(target.directory(), target.name(), replaced) == 0;
            root.moving().lock();
            try {
                String before = root.numberedPath(calls, source);
                FileFailure.check(
                        calls.rename(
                                source.directory(),
                                slashed(source),
                                target.directory(),
                                slashed(target)));
                root.learn(calls, target, before);
            } finally {
                root.moving().unlock();
            }
            FileStat now = new FileStat();
            if (calls.stat(target.directory(), target.name(), now) < 0 || !now.isSame(replaced)) {
                lost(calls, known, replaced);
            }
            return Reply.status(Status.OK);
        }
    }

    private static String slashed(Place place) {
        return place.hasTrailingSlash() ? place.name() + "/" : place.name();
    }

    private Reply symlink(SystemCalls calls, Request request) throws FileFailure {
        root.checkWritable();
        SettableAttributes settable = settable(request);
        checkTimes(settable);
        String text = places.linkText(calls, first(request));
        try (Place place = places.locate(calls, second(request))) {
            if (place.isDirectoryItself()) {
                throw new FileFailure(Status.EXIST);
            }
            FileFailure.check(calls.symlink(text, place.directory(), slashed(place)));
            // A link has an owner and times, and no mode.
            dressMade(calls, place, withoutMode(settable), calls.noFollowFlag());
            return Reply.status(Status.OK);
        }
    }

    private Reply makeDirectory(SystemCalls calls, Request request) throws FileFailure {
        root.checkWritable();
        SettableAttributes settable = settable(request);
        checkTimes(settable);
        try (Place place = places.locate(calls, first(request))) {
            if (place.isDirectoryItself()) {
                throw new FileFailure(Status.EXIST);
            }
            FileFailure.check(
                    calls.makeDirectory(
                            place.directory(),
                            place.name(),
                            mode(settable, DEFAULT_DIRECTORY_MODE)));
            dressMade(calls, place, settable, calls.noFollowFlag() | calls.directoryFlag());
            return Reply.status(Status.OK);
        }
    }

    private static SettableAttributes withoutMode(SettableAttributes settable) {
        return new SettableAttributes(
                settable.mask() & ~AttributeMask.MODE,
                0,
                settable.uid(),
                settable.gid(),
                0,
                settable.atime(),
                settable.mtime());
    }

    private static void dressMade(
            SystemCalls calls, Place place, SettableAttributes settable, int flags)
            throws FileFailure {
        if ((settable.mask() & AttributeMask.SETTABLE) == 0) {
            return;
        }
        int made = calls.open(place.directory(), place.name(), SystemCalls.O_PATH | flags, 0);
        if (made >= 0) {
            try {
                initialize(calls, made, settable);
            } finally {
                calls.close(made);
            }
        }
    }

    private Reply link(SystemCalls calls, FileSpec from, FileSpec to) throws FileFailure {
        root.checkWritable();
        try (Place source = places.locate(calls, from);
                Place target = places.locate(calls, to)) {
            if (target.isDirectoryItself()) {
                throw new FileFailure(Status.EXIST);
            }
            if (source.isDirectoryItself()) {
                throw new FileFailure(Status.PERM);
            }
            if (source.hasTrailingSlash()) {
                // The system would follow a link here, also out of the export. The name can only be
                // that of a directory, and a directory gets no second name.
                calls.close(places.openPlace(calls, from));
                throw new FileFailure(Status.PERM);
            }
            FileFailure.check(
                    calls.link(
                            source.directory(),
                            source.name(),
                            target.directory(),
                            slashed(target)));
            root.learn(calls, target, null);
            return Reply.status(Status.OK);
        }
    }
}
