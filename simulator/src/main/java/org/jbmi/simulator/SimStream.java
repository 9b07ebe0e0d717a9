package org.jbmi.simulator;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;

/**
 * One end of a played connection that carries bytes. It gives and takes as many at a time as it
 * likes, may keep bytes under way, and may be cut.
 */
final class SimStream extends SimChannel {

    private final World world;
    private final SimProcess owner;
    private final SimProcess other;
    private final Pipe in;
    private final Pipe out;

    /** One direction. */
    private static final class Pipe {
        private final byte[] bytes;
        private int start;
        private int length;
        private long heldUntilStep;
        private boolean isEnded;
        private boolean isUnread;
        private boolean isCut;

        Pipe(int capacity) {
            this.bytes = new byte[capacity];
        }

        private byte take() {
            byte next = bytes[start];
            start = (start + 1) % bytes.length;
            length--;
            return next;
        }

        private void put(byte next) {
            bytes[(start + length) % bytes.length] = next;
            length++;
        }
    }

    private SimStream(World world, SimProcess owner, SimProcess other, Pipe in, Pipe out) {
        this.world = world;
        this.owner = owner;
        this.other = other;
        this.in = in;
        this.out = out;
    }

    /** Both ends of a new connection, the first owner's first. */
    static SimStream[] pair(World world, SimProcess first, SimProcess second) {
        Pipe there = new Pipe(capacity(world.dice));
        Pipe back = new Pipe(capacity(world.dice));
        return new SimStream[] {
            new SimStream(world, first, second, back, there),
            new SimStream(world, second, first, there, back)
        };
    }

    // 64 bytes, at times 512, 4 KiB or 32 KiB.
    private static int capacity(Dice dice) {
        return 64 << (3 * dice.below(4));
    }

    SimProcess owner() {
        return owner;
    }

    /** Whose the other end is. */
    SimProcess other() {
        return other;
    }

    /** The connection is lost, with a part of what was under way or all of it. */
    void cut() {
        for (Pipe each : new Pipe[] {in, out}) {
            each.isCut = true;
            each.length = each.length == 0 ? 0 : world.dice.below(each.length);
            each.heldUntilStep = 0;
        }
    }

    /** What goes either way from now on, and what is under way, arrives later. */
    void hold(int steps) {
        in.heldUntilStep = world.steps + steps;
        out.heldUntilStep = world.steps + steps;
    }

    /** Nonsense goes to the other side, or into what is under way to it. */
    void spoil() {
        Dice dice = world.dice;
        if (out.length > 0 && dice.chance(60)) {
            int count = 1 + dice.below(3);
            for (int i = 0; i < count; i++) {
                int at = (out.start + dice.below(out.length)) % out.bytes.length;
                out.bytes[at] = dice.chance(50) ? (byte) dice.next() : (byte) dice.below(12);
            }
            return;
        }
        int count = dice.below(80);
        for (int i = 0; i < count && out.length < out.bytes.length; i++) {
            out.put((byte) dice.next());
        }
    }

    boolean isLost() {
        return in.isCut || in.isEnded || out.isUnread;
    }

    /** Whether bytes are under way, either way. */
    boolean isCarrying() {
        return in.length > 0 || out.length > 0;
    }

    /** Whether bytes are there for this side. */
    boolean hasUnread() {
        return in.length > 0;
    }

    /** Whether bytes of this side are there for the other one. */
    boolean hasUnheard() {
        return out.length > 0;
    }

    /** Whether no more can be written, one way or the other. */
    boolean isFull() {
        return hasNoRoom() || in.length == in.bytes.length;
    }

    private boolean hasNoRoom() {
        return out.length == out.bytes.length;
    }

    private int readable() {
        return world.isPosting && world.steps < in.heldUntilStep ? 0 : in.length;
    }

    @Override
    public int readyOps() {
        boolean isOver = in.length == 0 && (in.isEnded || in.isCut);
        boolean isRead = readable() > 0 || isOver;
        boolean isWrite = !hasNoRoom() || out.isUnread || out.isCut;
        return (isRead ? SelectionKey.OP_READ : 0) | (isWrite ? SelectionKey.OP_WRITE : 0);
    }

    private int some(int most) {
        return most > 1 && world.dice.chance(40) ? 1 + world.dice.below(most) : most;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return (int) read(new ByteBuffer[] {into}, 0, 1);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        owner.touch();
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        int room = remaining(into, offset, length);
        int count = some(Math.min(readable(), room));
        if (count == 0) {
            return atEnd(room);
        }
        int first = count / 2;
        int at = offset;
        int moved = 0;
        while (moved < count && in.length > 0) {
            if (moved == first) {
                owner.halfCopied();
            }
            while (!into[at].hasRemaining()) {
                at++;
            }
            if (in.length > 0) {
                into[at].put(in.take());
                moved++;
            }
        }
        return moved;
    }

    private int atEnd(int room) throws IOException {
        if (in.length > 0 || room == 0) {
            return 0;
        }
        if (in.isCut) {
            throw new IOException("the connection was cut");
        }
        return in.isEnded ? -1 : 0;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        return (int) write(new ByteBuffer[] {bytes}, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] bytes, int offset, int length) throws IOException {
        owner.touch();
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        if (out.isUnread || out.isCut) {
            throw new IOException("nobody reads any more");
        }
        int room = out.bytes.length - out.length;
        int count = some(Math.min(room, remaining(bytes, offset, length)));
        int first = count / 2;
        int at = offset;
        for (int i = 0; i < count && !out.isCut; i++) {
            if (i == first && count > 1) {
                owner.halfCopied();
            }
            while (!bytes[at].hasRemaining()) {
                at++;
            }
            out.put(bytes[at].get());
        }
        return count;
    }

    private static int remaining(ByteBuffer[] buffers, int offset, int length) {
        int sum = 0;
        for (int i = offset; i < offset + length; i++) {
            sum += buffers[i].remaining();
        }
        return sum;
    }

    /** This side closes, or its process ends. */
    void end() {
        out.isEnded = true;
        in.isUnread = true;
        if (in.length > 0 && world.dice.chance(50)) {
            out.isCut = true; // as systems do when something was left unread
            out.length = world.dice.below(out.length + 1);
        }
    }

    @Override
    protected void implCloseSelectableChannel() {
        end();
    }
}
