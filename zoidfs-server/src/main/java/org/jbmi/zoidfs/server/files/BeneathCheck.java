package org.jbmi.zoidfs.server.files;

import org.jbmi.spi.HashMaps;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.server.os.AtOnceCalls;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.MoveWatch;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.util.HashMap;
import java.util.Map;

/**
 * Checks whether open files are beneath the root of the export, for answers that do not wait for a
 * disk. It asks the system for the path of a file. For a file in frequent use it watches the file
 * and the folders above it for moves (inotify). Until the system reports a move, the file is
 * beneath the root. Then the check costs no system call. For one thread at a time.
 *
 * <p>Why no move is missed: the check watches the folders from the root down, and then the file.
 * After that it asks for the paths again. If they are the same as before and no move was reported,
 * each watch is on the right folder. If another folder had a watched path for a moment, that folder
 * has moved away since, and the system reports this move.
 */
public final class BeneathCheck {
    /**
     * The check watches a file after it has asked for its path this many times. To add a watch
     * costs as much as several questions.
     */
    static final int OFTEN = 32;

    private static final int MAX_WATCHES = 4_096;

    private final ExportRoot root;
    private final SystemCalls calls;
    private final MoveWatch watch;

    /** Watched files, by the numbers of their watches. */
    private final Map<Integer, OpenFile> files = HashMaps.prepared(new HashMap<>());

    private final MoveWatch.Listener listener = this::happened;

    /** Grows when a folder has moved: then all files must be checked again. */
    private long generation = 1;

    private boolean polled;

    /**
     * Makes the check of an export.
     *
     * @param calls the system calls of the thread that uses this object
     */
    public BeneathCheck(ExportRoot root, SystemCalls calls) {
        this.root = root;
        this.calls = calls;
        this.watch = calls.moveWatch();
    }

    /** Begins a turn: the next check of the turn looks for moves again. */
    public void beginTurn() {
        polled = false;
        calls.atOnce().forgetFolder();
    }

    /**
     * Whether the system returns the attributes of a file without waiting, and the file is beneath
     * the root, as of the beginning of the turn. If not, {@link ExportRoot#use} reports what is
     * wrong.
     */
    public boolean isUsableNow(OpenFile file, FileStat stat) {
        return file.isLocal()
                && calls.stat(file.place, "", stat) == 0
                && stat.links() > 0
                && isBeneath(file, stat.type() == FileType.DIRECTORY);
    }

    private boolean isBeneath(OpenFile file, boolean isFolder) {
        if (!polled) {
            polled = true;
            watch.poll(listener);
        }
        if (file.knownInGeneration == generation) {
            return true;
        }
        AtOnceCalls shown = calls.atOnce();
        if (!shown.isBeneathShown(root.descriptors(), root.folder(), file.place)) {
            return false;
        }
        if (++file.questions >= OFTEN) {
            file.questions = 0;
            know(file, isFolder, shown);
        }
        return true;
    }

    private void know(OpenFile file, boolean isFolder, AtOnceCalls shown) {
        if (watch.count() >= MAX_WATCHES) {
            close();
        }
        int number = shown.watchShown(watch, root.folder(), file.place, isFolder);
        if (number < 0) {
            return;
        }
        if (!isFolder) {
            files.put(number, file);
        }
        long known = generation;
        boolean isSame = shown.isShownAsBefore(root.descriptors(), root.folder(), file.place);
        file.knownInGeneration = isSame ? known : 0;
        // A move that is reported now makes the file unknown again.
        watch.poll(listener);
    }

    private void happened(int number) {
        OpenFile file = files.get(number);
        if (file == null) {
            // A folder with other files beneath it has moved, or events were lost.
            generation++;
        } else {
            file.knownInGeneration = 0;
        }
    }

    /** Whether a check of the file needs no question, by the moves reported so far. */
    boolean isKnown(OpenFile file) {
        return file.knownInGeneration == generation;
    }

    /** Ends all watches. */
    public void close() {
        watch.close();
        files.clear();
        generation++;
    }
}
