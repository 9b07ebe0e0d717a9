package org.jbmi.simulator.socket;

import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.Schedule;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.zbmi.socket.LinkFrame;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * One end of a simulated connection that carries bytes. It reads and writes any number of bytes at
 * a time, may delay bytes, and may be cut.
 */
public final class SimStream extends SimChannel {
    private static final int KIND_AT = 3 * Integer.BYTES;
    private static final int CODE_AT = 4 * Integer.BYTES;

    private final Schedule schedule;
    private final SimProcess owner;
    private final SimProcess other;
    private final @Nullable SimSockets sockets;
    private final boolean isUnix;
    private Pipe in;
    private Pipe out;
    private State state;
    private boolean isRefused;
    private boolean isAstray;
    private boolean wasCut;
    private long answerStep;
    private int gatewayLife;

    private enum State {
        NEW,
        CONNECTING,
        CONNECTED
    }

    /** One direction. */
    private static final class Pipe {
        private final byte[] bytes;
        private int start;
        private int length;
        private long heldUntilStep;
        private boolean isEnded;
        private boolean isUnread;
        private boolean isCut;
        private boolean hasCarried;

        /** The first bytes that were read, as many as a refusal has. */
        private final ByteBuffer head =
                ByteBuffer.allocate(CODE_AT + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);

        private long takenBytes;

        Pipe(int capacity) {
            this.bytes = new byte[capacity];
        }

        private byte take() {
            byte next = bytes[start];
            start = (start + 1) % bytes.length;
            length--;
            takenBytes++;
            if (head.hasRemaining()) {
                head.put(next);
            }
            return next;
        }

        private void put(byte next) {
            bytes[(start + length) % bytes.length] = next;
            length++;
        }
    }

    /** The gateway's end of a connection. */
    private SimStream(Schedule schedule, SimProcess owner, SimProcess other, Pipe in, Pipe out) {
        this.schedule = schedule;
        this.owner = owner;
        this.other = other;
        this.sockets = null;
        this.isUnix = true;
        this.in = in;
        this.out = out;
        this.state = State.CONNECTED;
    }

    /** A stream that is not connected. */
    SimStream(Schedule schedule, SimProcess owner, SimSockets sockets, boolean isUnix) {
        super(sockets);
        this.schedule = schedule;
        this.owner = owner;
        this.other = sockets.gateway();
        this.sockets = sockets;
        this.isUnix = isUnix;
        this.in = new Pipe(0);
        this.out = in;
        this.state = State.NEW;
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        owner.touch();
        SimSockets from = sockets;
        if (from == null || state != State.NEW) {
            throw new AlreadyConnectedException();
        }
        switch (from.fate(isUnix)) {
            case TAKEN ->
                    connect(
                            from,
                            isUnix || schedule.dice.chance(30) ? 0 : 1 + schedule.dice.below(20));
            case LATE -> connect(from, 20 + schedule.dice.below(150));
            case REFUSED -> refuse();
            case FULL, UNHEARD -> waitFor(Long.MAX_VALUE / 2);
            case ASTRAY -> goAstray(from);
        }
        return isConnected();
    }

    private void waitFor(long steps) {
        state = State.CONNECTING;
        answerStep = schedule.steps + steps;
        if (steps == 0) {
            state = State.CONNECTED;
        }
    }

    private void connect(SimSockets to, int steps) {
        Pipe there = new Pipe(capacity(schedule.dice));
        Pipe back = new Pipe(capacity(schedule.dice));
        in = back;
        out = there;
        gatewayLife = other.incarnation;
        to.knock(new SimStream(schedule, other, owner, there, back));
        waitFor(steps);
    }

    private void refuse() throws ConnectException {
        isRefused = true;
        if (isUnix || schedule.dice.chance(50)) {
            throw new ConnectException("Connection refused");
        }
        waitFor(1 + schedule.dice.below(20));
    }

    private void goAstray(SimSockets from) {
        isAstray = true;
        byte[] noise = from.noise();
        in = new Pipe(noise.length);
        for (byte each : noise) {
            in.put(each);
        }
        in.isEnded = schedule.dice.chance(60);
        out = new Pipe(capacity(schedule.dice));
        out.isUnread = schedule.dice.chance(20);
        waitFor(isUnix ? 0 : 1);
    }

    private boolean isAnswered() {
        return state == State.CONNECTING && (schedule.steps >= answerStep || !schedule.isPosting);
    }

    @Override
    public boolean finishConnect() throws IOException {
        if (state == State.NEW) {
            throw new NoConnectionPendingException();
        }
        if (isAnswered()) {
            if (isRefused) {
                throw new ConnectException("Connection refused");
            }
            state = State.CONNECTED;
        }
        return isConnected();
    }

    @Override
    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    @Override
    public boolean isConnectionPending() {
        return state == State.CONNECTING;
    }

    @Override
    public SocketAddress getLocalAddress() {
        return isUnix
                ? super.getLocalAddress()
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        return this;
    }

    /** Whether no process listened, or another program. */
    public boolean isRefused() {
        return isRefused;
    }

    /** The negative code of a refusal that was read completely; 0 if there was none. */
    public int refusal() {
        boolean isWhole = isRefusal() && in.takenBytes >= in.head.getInt(0);
        return isWhole ? in.head.getInt(CODE_AT) : 0;
    }

    private boolean isRefusal() {
        return !in.head.hasRemaining() && in.head.getInt(KIND_AT) == LinkFrame.REFUSED;
    }

    /** Whether the connection could not take a whole refusal at once, so its end was never sent. */
    public boolean isTooNarrow() {
        return isRefusal() && in.bytes.length < in.head.getInt(0);
    }

    /** Whether another program listened. */
    public boolean isAstray() {
        return isAstray;
    }

    /** Whether the connection was cut while both sides lived. */
    public boolean wasCut() {
        return wasCut;
    }

    /** Whether it, a client's end, is connected to the current gateway. */
    public boolean isOfGateway() {
        return isConnected() && !isAstray && other.isAlive && other.incarnation == gatewayLife;
    }

    // 64 bytes, at times 512, 4 KiB or 32 KiB.
    private static int capacity(Dice dice) {
        return 64 << (3 * dice.below(4));
    }

    public SimProcess owner() {
        return owner;
    }

    /** The process of the other end. */
    public SimProcess other() {
        return other;
    }

    /** Whether they are the two ends of one connection. */
    @SuppressWarnings("ReferenceEquality") // identity of the pipe
    public boolean isConnectedTo(@Nullable SimStream end) {
        return end != null && in == end.out;
    }

    /** Cuts the connection; all or a part of the bytes under way are lost. */
    public void cut() {
        wasCut = true;
        for (Pipe each : new Pipe[] {in, out}) {
            each.isCut = true;
            each.length = each.length == 0 ? 0 : schedule.dice.below(each.length);
            each.heldUntilStep = 0;
        }
    }

    /** Delays the bytes under way and all later ones, in both directions. */
    public void hold(int steps) {
        in.heldUntilStep = schedule.steps + steps;
        out.heldUntilStep = schedule.steps + steps;
    }

    /** Sends garbage to the other side, or damages bytes under way. */
    public void spoil() {
        Dice dice = schedule.dice;
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

    public boolean isLost() {
        return !isConnected() || in.isCut || in.isEnded || out.isUnread;
    }

    /** Whether bytes are under way in either direction. */
    public boolean isCarrying() {
        return in.length > 0 || out.length > 0;
    }

    /** Whether this side has bytes to read. */
    public boolean hasUnread() {
        return in.length > 0;
    }

    /** Whether the other side has bytes to read. */
    public boolean hasUnreceived() {
        return out.length > 0;
    }

    /** Whether no more can be written in one of the directions. */
    public boolean isFull() {
        return hasNoRoom() || in.length == in.bytes.length;
    }

    private boolean hasNoRoom() {
        return out.length == out.bytes.length;
    }

    private int readable() {
        return schedule.isPosting && schedule.steps < in.heldUntilStep ? 0 : in.length;
    }

    @Override
    public int readyOps() {
        if (!isConnected()) {
            return isAnswered() ? SelectionKey.OP_CONNECT : 0;
        }
        boolean isOver = in.length == 0 && (in.isEnded || in.isCut);
        boolean isRead = readable() > 0 || isOver;
        boolean isWrite = !hasNoRoom() || out.isUnread || out.isCut;
        return (isRead ? SelectionKey.OP_READ : 0) | (isWrite ? SelectionKey.OP_WRITE : 0);
    }

    private int some(int most) {
        return most > 1 && schedule.dice.chance(40) ? 1 + schedule.dice.below(most) : most;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return (int) read(new ByteBuffer[] {into}, 0, 1);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        owner.touch();
        checkConnected();
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

    private void checkConnected() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        if (!isConnected()) {
            throw new NotYetConnectedException();
        }
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
        checkConnected();
        if (out.isUnread || out.isCut) {
            throw new IOException("nobody reads any more");
        }
        int room = out.bytes.length - out.length;
        int most = Math.min(room, remaining(bytes, offset, length));
        // The gateway relies on an empty connection to take its first message.
        int count = out.hasCarried || sockets != null ? some(most) : most;
        out.hasCarried = true;
        int first = count / 2;
        int at = offset;
        for (int i = 0; i < count && !out.isCut; i++) {
            if (i == first && count > 1) {
                owner.halfCopied();
                if (out.isCut) {
                    break; // otherwise the next byte would follow the bytes that were not lost
                }
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
    public void end() {
        out.isEnded = true;
        in.isUnread = true;
        if (in.length > 0 && schedule.dice.chance(50)) {
            out.isCut = true; // as systems do if bytes are left unread
            out.length = schedule.dice.below(out.length + 1);
        }
    }

    @Override
    public SocketChannel shutdownOutput() {
        out.isEnded = true;
        return this;
    }

    @Override
    protected void implCloseSelectableChannel() {
        end();
    }
}
