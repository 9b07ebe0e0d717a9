package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.UserRights;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.RightsCalls;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;

/**
 * The root of an export: turns handles into descriptors of files beneath the root, and back. {@link
 * ExportPlaces} does so with names. Safe for use by any thread, if each thread has its own {@link
 * SystemCalls}.
 */
public final class ExportRoot {
    /** How long to wait until the system is asked again for the rights of a user. */
    private static final long BACK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ExportSettings settings;
    private final HandleSeal seal;
    private final OpenFiles files;
    private final NumberedFiles numbers;
    private final int root;

    /** The folder in which the system shows what descriptors refer to. */
    private final int descriptors;

    private final long device;
    private final boolean fileSystemHandles;

    /**
     * Opens an export.
     *
     * @throws IOException with a sentence if it is not a folder, or the system cannot serve it
     */
    public ExportRoot(ExportSettings settings, SystemCalls calls) throws IOException {
        this.settings = settings;
        this.seal = new HandleSeal(settings.key().bytes());
        this.files = new OpenFiles(settings.maxOpenFiles());
        String folder =
                new String(
                        settings.folder()
                                .toAbsolutePath()
                                .toString()
                                .getBytes(StandardCharsets.UTF_8),
                        StandardCharsets.ISO_8859_1);
        root = calls.open(SystemCalls.CURRENT_FOLDER, folder, calls.directoryFlag(), 0);
        if (root < 0) {
            throw new IOException(
                    settings.folder()
                            + " cannot be exported: it is not a folder that this process can"
                            + " read.");
        }
        numbers = new NumberedFiles(settings.maxNumberedFiles(), seal, files, root);
        int probe = calls.openBeneath(root, "/", SystemCalls.O_PATH);
        descriptors =
                calls.open(
                        SystemCalls.CURRENT_FOLDER,
                        SystemCalls.DESCRIPTORS,
                        SystemCalls.O_PATH | calls.directoryFlag(),
                        0);
        if (probe < 0 || descriptors < 0) {
            closeAll(calls, probe, descriptors, root);
            throw new IOException(
                    "The kernel cannot resolve paths beneath a folder, or shows no /proc: Linux 5.8"
                            + " is needed.");
        }
        calls.close(probe);
        FileStat stat = new FileStat();
        calls.stat(root, "", stat);
        device = stat.device();
        fileSystemHandles = settings.fileSystemHandles() && canOpenHandles(calls);
    }

    private static void closeAll(SystemCalls calls, int... files) {
        for (int file : files) {
            if (file >= 0) {
                calls.close(file);
            }
        }
    }

    private boolean canOpenHandles(SystemCalls calls) {
        byte[] name = calls.handles().name(root, HandleSeal.MAX_NAME_BYTES);
        int found = name == null ? -1 : calls.handles().open(root, name);
        if (found >= 0) {
            calls.close(found);
        }
        return found >= 0;
    }

    /** Whether handles outlive a restart of the server. */
    public boolean handlesOutliveRestart() {
        return fileSystemHandles;
    }

    /** How many files are open. */
    public int openFiles() {
        return files.size();
    }

    /** Whether this server made a handle; the file of the handle may be gone. */
    public boolean isOurs(FileHandle handle) {
        // A handle that equals that of an open file, its check included, needs no second check.
        return files.isOpen(handle)
                || seal.open(HandleSeal.BY_FILE_SYSTEM, handle) != null
                || seal.open(HandleSeal.BY_NUMBER, handle) != null;
    }

    /**
     * Gives the thread of these calls the rights of the user with which the server accesses files.
     */
    public boolean enter(SystemCalls calls) {
        UserRights user = settings.user();
        if (user == null) {
            return true;
        }
        int[] groups = user.groups().stream().mapToInt(Integer::intValue).toArray();
        return calls.rights().setGroups(groups) && calls.rights().accessAs(user.uid(), user.gid());
    }

    boolean isReadOnly() {
        return settings.readOnly();
    }

    /** Refuses to change anything on a read-only export. */
    void checkWritable() throws FileFailure {
        if (isReadOnly()) {
            throw new FileFailure(Status.ROFS);
        }
    }

    boolean isRoot(FileStat stat, SystemCalls calls) {
        FileStat own = new FileStat();
        return calls.stat(root, "", own) == 0
                && own.inode() == stat.inode()
                && own.device() == stat.device();
    }

    /**
     * The handle of an open file. A file keeps its handle, unless the server forgets its number.
     */
    FileHandle handleOf(SystemCalls calls, int place, FileStat stat) throws FileFailure {
        return handleOf(calls, place, stat, numbers::handle);
    }

    private FileHandle handleOf(
            SystemCalls calls,
            int place,
            FileStat stat,
            BiFunction<NumberedFiles.Identity, String, FileHandle> byNumber)
            throws FileFailure {
        if (fileSystemHandles && stat.device() == device) {
            byte[] name = calls.handles().name(place, HandleSeal.MAX_NAME_BYTES);
            if (name != null) {
                return seal.seal(HandleSeal.BY_FILE_SYSTEM, name);
            }
        }
        String path = pathOf(calls, place);
        if (path == null) {
            throw new FileFailure(Status.STALE);
        }
        return byNumber.apply(NumberedFiles.Identity.of(stat), path);
    }

    /**
     * Keeps a new file open.
     *
     * @param made its descriptor, for reading and writing; the export closes it, also if this
     *     throws
     */
    FileHandle keep(SystemCalls calls, int made) throws FileFailure {
        boolean isGiven = false;
        try {
            FileStat stat = new FileStat();
            FileFailure.check(calls.stat(made, "", stat));
            FileHandle handle = handleOf(calls, made, stat, numbers::handleToOpen);
            try {
                OpenFile file = OpenFile.made(files, handle, made, stat, calls.atOnce().kind(made));
                isGiven = true; // The table closes it, also if the table has no room.
                files.release(calls, files.add(calls, file));
                return handle;
            } finally {
                numbers.endOpening(handle);
            }
        } finally {
            if (!isGiven) {
                calls.close(made);
            }
        }
    }

    /** The path of an open file from the root of the export, or null if it is not beneath. */
    private @Nullable String pathOf(SystemCalls calls, int place) throws FileFailure {
        String base = systemPath(calls, root);
        String path = systemPath(calls, place);
        if (base == null || path == null) {
            return null;
        }
        if (path.equals(base)) {
            return "/";
        }
        String prefix = base.equals("/") ? base : base + "/";
        return path.startsWith(prefix) ? path.substring(prefix.length() - 1) : null;
    }

    /** The path that the system shows for a file, or null; throws if the path is too long. */
    private static @Nullable String systemPath(SystemCalls calls, int file) throws FileFailure {
        int length = calls.readLink(SystemCalls.CURRENT_FOLDER, SystemCalls.descriptorPath(file));
        if (length == -Errno.ENAMETOOLONG) {
            throw new FileFailure(Status.NAMETOOLONG);
        }
        return length < 0 ? null : calls.linkText(length);
    }

    /**
     * Begins a use of the file of a handle; {@link #release} ends it. STALE if the file is gone.
     */
    public OpenFile use(SystemCalls calls, FileHandle handle) throws FileFailure {
        return use(calls, handle, new FileStat());
    }

    /** The same, and fills in the present attributes of the file. */
    OpenFile use(SystemCalls calls, FileHandle handle, FileStat stat) throws FileFailure {
        OpenFile file = files.use(handle);
        if (file == null) {
            numbers.beginOpening(handle);
            try {
                file = files.add(calls, open(calls, handle));
            } finally {
                numbers.endOpening(handle);
            }
        }
        try {
            checkBeneath(calls, file, stat);
            return file;
        } catch (FileFailure | RuntimeException | Error e) {
            files.release(calls, file);
            throw e;
        }
    }

    /**
     * Begins a use of the file of a handle, if the file is open; {@link #leave} ends it. Does not
     * wait for a disk.
     *
     * @return the file, or null; {@link BeneathCheck} says whether it can be used without waiting
     */
    public @Nullable OpenFile find(FileHandle handle) {
        return files.use(handle);
    }

    /** The descriptor of the root. */
    int folder() {
        return root;
    }

    /** The descriptor of the folder in which the system shows descriptors. */
    int descriptors() {
        return descriptors;
    }

    /**
     * Ends a use and closes nothing.
     *
     * @return whether a thread that may wait must call {@link #closeLeft} for the file
     */
    public boolean leave(OpenFile file) {
        return files.leave(file);
    }

    /** Closes a file for which {@link #leave} returned true. */
    public void closeLeft(SystemCalls calls, OpenFile file) {
        file.close(calls);
    }

    /** Ends a use, in the thread of these calls. */
    public void release(SystemCalls calls, OpenFile file) {
        files.release(calls, file);
    }

    /**
     * Closes a file that has lost its last name, so that the system frees its space on the disk.
     */
    void removed(SystemCalls calls, FileStat stat) {
        files.removed(calls, stat.device(), stat.inode());
    }

    /** How often to call {@link #closeUnused}, in milliseconds. */
    public long idleFileMs() {
        return settings.idleFileMs();
    }

    /** Closes files without a use since the call before. */
    public void closeUnused(SystemCalls calls) {
        files.nextRound(calls);
    }

    /**
     * Whether the file of a handle has no name any more, or is not there. A file that may not be
     * opened now is not gone.
     */
    public boolean isGone(SystemCalls calls, FileHandle handle) {
        FileStat stat = new FileStat(); // before the descriptor, which must be closed again
        int place;
        try {
            place = openByHandle(calls, handle);
        } catch (FileFailure e) {
            return e.status() == Status.STALE;
        }
        if (place < 0) {
            return place == -Errno.ENOENT || place == -Errno.ENOTDIR || place == -Errno.ESTALE;
        }
        boolean isGone = calls.stat(place, "", stat) == 0 && stat.links() == 0;
        calls.close(place);
        return isGone;
    }

    /** Opens the file of a handle; STALE for a number that the server has forgotten. */
    private int openByHandle(SystemCalls calls, FileHandle handle) throws FileFailure {
        byte[] name = seal.open(HandleSeal.BY_FILE_SYSTEM, handle);
        return name != null
                ? withFreeDescriptors(calls, () -> openAsSelf(calls, name))
                : numbers.open(calls, handle);
    }

    private OpenFile open(SystemCalls calls, FileHandle handle) throws FileFailure {
        int place = openByHandle(calls, handle);
        if (isLack(place)) {
            throw FileFailure.of(place);
        }
        if (place < 0) {
            throw new FileFailure(Status.STALE);
        }
        try {
            FileStat stat = new FileStat();
            FileFailure.check(calls.stat(place, "", stat));
            return new OpenFile(
                    files, handle, place, stat, calls.atOnce().kind(place), settings.readOnly());
        } catch (FileFailure | RuntimeException | Error e) {
            calls.close(place);
            throw e;
        }
    }

    /** The system opens handles only with the rights of the process itself. */
    private int openAsSelf(SystemCalls calls, byte[] name) {
        UserRights user = settings.user();
        if (user == null) {
            return calls.handles().open(root, name);
        }
        try {
            boolean isSelf = calls.rights().accessAs(0, 0);
            return isSelf ? calls.handles().open(root, name) : -Errno.ENOMEM;
        } finally {
            // The system may lack memory. With wrong rights this thread must do nothing else.
            while (!isBack(calls.rights(), user)) {
                LockSupport.parkNanos(BACK_NS);
            }
        }
    }

    private static boolean isBack(RightsCalls rights, UserRights user) {
        try {
            return rights.accessAs(user.uid(), user.gid());
        } catch (AssertionError | OutOfMemoryError e) {
            return false;
        }
    }

    /** Whether the system lacks something, so that a later call may succeed. */
    static boolean isLack(int result) {
        return result == -Errno.EMFILE || result == -Errno.ENFILE || result == -Errno.ENOMEM;
    }

    /**
     * Learns a new path of a file: the server finds numbered files by their paths. A path that is
     * too long, or gone again, is not learnt.
     *
     * @param from its path before, if it has moved, from {@link #numberedPath}; else null
     */
    void learn(SystemCalls calls, Place place, @Nullable String from) {
        if (findsNoneByPath()) {
            return;
        }
        int found = calls.openPlace(place.directory(), place.name());
        if (found < 0) {
            return;
        }
        try {
            FileStat stat = new FileStat();
            FileFailure.check(calls.stat(found, "", stat));
            handleOf(calls, found, stat);
            String to = pathOf(calls, found);
            if (from != null && to != null && stat.type() == FileType.DIRECTORY) {
                numbers.moved(from, to);
            }
        } catch (FileFailure e) {
            // What was asked for is done, whether or not the file is found by this path.
        } finally {
            calls.close(found);
        }
    }

    /** Held from before a rename until {@link #learn} returns. */
    Lock moving() {
        return numbers.moving();
    }

    /** Files of another file system in the export have numbers in any case. */
    private boolean findsNoneByPath() {
        return fileSystemHandles && numbers.isEmpty();
    }

    /** The path of a place; null if it has none, or files are not found by their paths. */
    @Nullable String numberedPath(SystemCalls calls, Place place) {
        if (findsNoneByPath()) {
            return null;
        }
        try {
            return folderPath(calls, place.directory()) + place.name();
        } catch (FileFailure e) {
            return null;
        }
    }

    /** If no descriptor is free, closes the files without users and tries again. */
    int withFreeDescriptors(SystemCalls calls, OpenFiles.Opening opening) {
        return files.withFreeDescriptors(calls, opening);
    }

    /**
     * Throws STALE for a file that was removed, or that another process moved out of the export.
     * The system shows one name of a file with several. If this one is outside, it is STALE too. If
     * it was removed, and another one outside is left, the file is served until it is closed.
     */
    private void checkBeneath(SystemCalls calls, OpenFile file, FileStat stat) throws FileFailure {
        FileFailure.check(calls.stat(file.place, "", stat));
        boolean outside = stat.links() == 0;
        if (!outside && !calls.atOnce().isBeneath(descriptors, root, file.place)) {
            String shown = systemPath(calls, file.place);
            // The system shows "/" for a file that was opened by handle, and whose path it does not
            // know. Such a file is served, wherever it is.
            outside = shown == null || !shown.equals("/") || stat.type() == FileType.DIRECTORY;
        }
        if (outside) {
            throw new FileFailure(Status.STALE);
        }
    }

    /** The path of an open directory from the root of the export, with a slash at its end. */
    String folderPath(SystemCalls calls, int directory) throws FileFailure {
        String path = pathOf(calls, directory);
        if (path == null) {
            throw new FileFailure(Status.STALE);
        }
        return path.equals("/") ? path : path + "/";
    }

    /** Closes the files that no call uses. */
    public void closeIdle(SystemCalls calls) {
        files.closeIdle(calls);
    }

    /** Closes everything. */
    public void close(SystemCalls calls) {
        files.closeIdle(calls);
        closeAll(calls, root, descriptors);
    }
}
