package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.server.os.AtOnceCalls;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.MoveWatch;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.util.HashMap;
import java.util.Map;

/**
 * Tells whether open files are beneath the root of the export, for answers that wait for no disk.
 * Of a file in frequent use the system is asked to tell of moves, its own and those of the folders
 * above it; until one is told of the file is where it was, and need not be asked for. For one
 * thread at a time.
 *
 * <p>That a file is where it was is known so: its folders are watched from the root down, then the
 * file, then the system shows the same paths as before, and tells of no move. A folder that was not
 * the right one when it was watched has left its place since, and that is told of.
 */
public final class Whereabouts {
    /** Watching costs as much as some questions. */
    static final int OFTEN = 32;

    private static final int MAX_WATCHES = 4_096;

    private final ExportRoot root;
    private final SystemCalls calls;
    private final MoveWatch watch;

    /** Watched files by number. */
    private final Map<Integer, OpenFile> files = new HashMap<>();

    private final MoveWatch.Listener listener = this::happened;

    /** How often everything that was known became void. */
    private long generation = 1;

    private boolean polled;

    /**
     * Of an export.
     *
     * @param calls of the thread that uses this
     */
    public Whereabouts(ExportRoot root, SystemCalls calls) {
        this.root = root;
        this.calls = calls;
        this.watch = calls.moveWatch();
    }

    /** What moves from now on counts, and what moved before. */
    public void beginTurn() {
        polled = false;
        calls.atOnce().forgetFolder();
    }

    /**
     * Whether the file system tells without waiting what it knows of a file, and the file is
     * beneath the root, as of the begin of the turn. If not, {@link ExportRoot#use} says what is
     * wrong.
     *
     * @param stat filled with what it tells
     */
    public boolean isAtHand(OpenFile file, FileStat stat) {
        return file.isNear()
                && calls.stat(file.place, "", stat) == 0
                && stat.links() > 0
                && isBeneath(file, stat.type() == FileType.DIRECTORY);
    }

    private boolean isBeneath(OpenFile file, boolean isFolder) {
        if (!polled) {
            polled = true;
            watch.poll(listener);
        }
        if (file.knownIn == generation) {
            return true;
        }
        AtOnceCalls shown = calls.atOnce();
        if (!shown.isBeneathShown(root.descriptors(), root.folder(), file.place)) {
            return false;
        }
        if (++file.askedFor >= OFTEN) {
            file.askedFor = 0;
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
        file.knownIn = isSame ? known : 0;
        // What it tells of now makes it unknown again.
        watch.poll(listener);
    }

    private void happened(int number) {
        OpenFile file = files.get(number);
        if (file == null) {
            // A folder, which other files are beneath, or what could not be told.
            generation++;
        } else {
            file.knownIn = 0;
        }
    }

    /** Whether a file need not be asked for, as far as was told until now. */
    boolean isKnown(OpenFile file) {
        return file.knownIn == generation;
    }

    /** Lets go of what is watched. */
    public void close() {
        watch.close();
        files.clear();
        generation++;
    }
}
