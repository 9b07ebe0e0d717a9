package org.jbmi.zoidfs.server;

import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/** A disk that fails or waits where a test says so; otherwise it is the real one. */
final class TestDisk {
    /** What becomes of a call: 0 for the real one, a negative error number instead. */
    interface Fault {
        int now() throws InterruptedException;
    }

    private volatile Fault onSync = () -> 0;
    private volatile Fault onTruncate = () -> 0;
    private volatile WriteFault onWrite = sizeBytes -> 0;
    private volatile Runnable afterClose = () -> {};
    private volatile Consumer<String> onMake = name -> {};
    private volatile Consumer<String> onOpen = name -> {};
    private volatile Runnable afterRename = () -> {};
    private volatile Runnable onMissing = () -> {};
    private volatile ToIntFunction<String> openFault = path -> 0;

    /** The same of a write of one piece, or of several, whose size is told as 0. */
    interface WriteFault {
        int now(long sizeBytes) throws InterruptedException;
    }

    static TestDisk of() {
        return new TestDisk();
    }

    TestDisk whenSynced(Fault fault) {
        onSync = fault;
        return this;
    }

    TestDisk whenTruncated(Fault fault) {
        onTruncate = fault;
        return this;
    }

    TestDisk whenWritten(WriteFault fault) {
        onWrite = fault;
        return this;
    }

    /** Called whenever a descriptor was closed, as it is when a look-up is over. */
    TestDisk afterClose(Runnable event) {
        afterClose = event;
        return this;
    }

    /** Called before a file is made, with its name. */
    TestDisk whenMade(Consumer<String> event) {
        onMake = event;
        return this;
    }

    /** Called before a file that exists is opened, with its name. */
    TestDisk whenOpened(Consumer<String> event) {
        onOpen = event;
        return this;
    }

    /** Called when a file was renamed, and the server has learnt nothing of that yet. */
    TestDisk afterRename(Runnable event) {
        afterRename = event;
        return this;
    }

    /** Called when no file was found by a path from the root of the export. */
    TestDisk whenMissing(Runnable event) {
        onMissing = event;
        return this;
    }

    /** What becomes of the opening of a file that exists, by its name. */
    TestDisk whenOpening(ToIntFunction<String> fault) {
        openFault = fault;
        return this;
    }

    SystemCalls calls() {
        return new Faulty(SystemCalls.bind());
    }

    private static int ask(Fault fault) {
        try {
            return fault.now();
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nobody interrupts a worker", e);
        }
    }

    private final class Faulty extends SystemCalls {
        Faulty(SystemCalls real) {
            super(real);
        }

        @Override
        public SystemCalls forOtherThread() {
            return new Faulty(this);
        }

        @Override
        public int open(int directory, String path, int flags, int mode) {
            if ((flags & O_CREAT) != 0) {
                onMake.accept(path);
            } else {
                onOpen.accept(path);
                int fault = openFault.applyAsInt(path);
                if (fault < 0) {
                    return fault;
                }
            }
            return super.open(directory, path, flags, mode);
        }

        @Override
        public int openBeneath(int root, String path, int flags) {
            int found = super.openBeneath(root, path, flags);
            if (found == -Errno.ENOENT) {
                onMissing.run();
            }
            return found;
        }

        @Override
        public int rename(int fromDirectory, String from, int toDirectory, String to) {
            int result = super.rename(fromDirectory, from, toDirectory, to);
            afterRename.run();
            return result;
        }

        @Override
        public void close(int file) {
            super.close(file);
            afterClose.run();
        }

        @Override
        public int sync(int file) {
            int fault = ask(onSync);
            return fault < 0 ? fault : super.sync(file);
        }

        @Override
        public int truncate(int file, long sizeBytes) {
            int fault = ask(onTruncate);
            return fault < 0 ? fault : super.truncate(file, sizeBytes);
        }

        @Override
        public long write(int file, MemorySegment from, long offset) {
            int fault = ask(() -> onWrite.now(from.byteSize()));
            return fault < 0 ? fault : super.write(file, from, offset);
        }

        @Override
        public long moveList(
                boolean writing, int file, MemorySegment[] list, int count, long offset) {
            int fault = writing ? ask(() -> onWrite.now(0)) : 0;
            return fault < 0 ? fault : super.moveList(writing, file, list, count, offset);
        }
    }
}
