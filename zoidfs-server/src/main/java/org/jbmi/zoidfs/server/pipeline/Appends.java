package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileFailure;
import org.jbmi.zoidfs.server.files.OpenFile;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.util.List;
import java.util.function.Consumer;

/**
 * Gives each append a place of its own at the end of the file. While appends are under way the end
 * is computed from them; otherwise it is read from the file. Owned by the ordering stage.
 */
final class Appends {
    private final ExportRoot root;
    private final Lanes lanes;

    Appends(ExportRoot root, Lanes lanes) {
        this.root = root;
        this.lanes = lanes;
    }

    /** Finds the place of an append, and then continues it. */
    void place(DataCall data, Consumer<DataCall> next) {
        Lane lane = lanes.of(data.handle);
        if (lane.appendEnd != Lane.UNKNOWN) {
            give(lane, data);
            next.accept(data);
            return;
        }
        lane.awaitingEnd.add(data);
        if (lane.awaitingEnd.size() == 1) {
            SizeTask task = new SizeTask(lane);
            lanes.submit(lane, LaneOperation.exclusive(task, () -> found(lane, task, next)));
        }
    }

    private void found(Lane lane, SizeTask task, Consumer<DataCall> next) {
        List<DataCall> all = List.copyOf(lane.awaitingEnd);
        lane.awaitingEnd.clear();
        lane.appendEnd = task.status == Status.OK ? task.size : Lane.UNKNOWN;
        for (DataCall data : all) {
            if (task.status == Status.OK) {
                give(lane, data);
            } else {
                data.fail(task.status);
            }
            next.accept(data);
        }
    }

    private static void give(Lane lane, DataCall data) {
        long total = data.transfer.totalBytes();
        if (lane.appendEnd + total < 0) {
            data.fail(Status.FBIG);
            return;
        }
        data.appendOffset = lane.appendEnd;
        lane.appendEnd += total;
        lane.appends.add(data);
    }

    /**
     * The file has a new length. Unfinished appends keep their place, and so do unfinished writes:
     * the next append comes behind them.
     */
    void resized(Lane lane, long sizeBytes) {
        if (lane.appendEnd == Lane.UNKNOWN) {
            return;
        }
        long end = sizeBytes;
        for (DataCall data : lane.appends) {
            end = Math.max(end, data.appendOffset + data.transfer.totalBytes());
        }
        for (LaneOperation operation : lane.waiting) {
            if (operation.kind == LaneOperation.Kind.WRITE) {
                end = Math.max(end, operation.end);
            }
        }
        lane.appendEnd = end;
    }

    /** Another write may have moved the end. */
    void written(Lane lane, long end) {
        if (lane.appendEnd != Lane.UNKNOWN) {
            lane.appendEnd = Math.max(lane.appendEnd, end);
        }
    }

    /** A call is over; after the last append the end is unknown. */
    void over(DataCall data) {
        Lane lane = data.lane;
        if (lane != null && data.appendOffset != Lane.UNKNOWN) {
            lane.appends.remove(data);
            if (lane.appends.isEmpty()) {
                lane.appendEnd = Lane.UNKNOWN;
            }
        }
    }

    /** Asks for the length of a file. */
    private final class SizeTask extends DiskTask {
        private final Lane lane;
        int status = Status.OK;
        long size;

        SizeTask(Lane lane) {
            this.lane = lane;
        }

        @Override
        void run(SystemCalls calls) {
            try {
                OpenFile file = root.use(calls, lane.handle);
                try {
                    size = file.size(calls);
                } finally {
                    root.release(calls, file);
                }
            } catch (FileFailure e) {
                status = e.status();
            } catch (RuntimeException | Error e) {
                status = Status.OTHER;
                ServerLog.failed("A worker failed on the length of a file", e);
            }
        }

        @Override
        void done() {}
    }
}
