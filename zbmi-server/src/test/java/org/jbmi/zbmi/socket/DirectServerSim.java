package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The server of the simulated world: posts into blocks and lists of the expected region. */
final class DirectServerSim {
    static final int BLOCK = 300_000;
    private static final int BLOCKS = 20;
    private static final int LIST_ROOM = 4096;

    /** A post of the server's. */
    static final class Post {
        long operationId;
        long zoidId;
        boolean sends;
        int number;
        int tag;
        int block;
        long bytes;
        boolean isList;
        int reports;
        boolean isOver;
        int outcome;
        long outcomeBytes;
        boolean isCancelRequested;

        /** The number of the message that came, -1 for none. */
        int received = -1;
    }

    private final LinkWorld world;
    private final Random random;
    private final Message message = new Message();
    private final ArrayDeque<Integer> freeBlocks = new ArrayDeque<>();
    private final Map<Long, Post> open = new HashMap<>();
    final List<Post> all = new ArrayList<>();

    final List<Integer> unexpected = new ArrayList<>();
    private long lastId;

    DirectServerSim(LinkWorld world, Random random) {
        this.world = world;
        this.random = random;
        for (int i = 0; i < BLOCKS; i++) {
            freeBlocks.add(i);
        }
    }

    private long offset(int block) {
        return world.map.expectedOffset() + (long) block * (BLOCK + LIST_ROOM + 64) / 64 * 64;
    }

    void post(boolean sends, int number, int tag) {
        Integer block = freeBlocks.poll();
        if (block == null) {
            return;
        }
        Post post = new Post();
        post.operationId = ++lastId;
        post.sends = sends;
        post.number = number;
        post.tag = tag;
        post.block = block;
        post.bytes = sends ? size() : BLOCK;
        post.isList = post.bytes > 100 && random.nextInt(3) == 0;
        if (sends) {
            fill(post);
        }
        open.put(post.operationId, post);
        all.add(post);
        int kind = sends ? ServerRequests.POST_SEND : ServerRequests.POST_RECEIVE;
        ServerRequests.post(
                message,
                kind,
                post.operationId,
                post.operationId,
                LinkWorld.SESSION,
                LinkWorld.GENERATION,
                tag,
                ServerRequests.NEVER,
                post.bytes);
        int entries = post.isList ? putList(post) : 0;
        long listOffset = post.isList ? offset(block) + BLOCK / 64 * 64 + 64 : 0;
        ServerRequests.place(message, offset(block), listOffset, entries);
        world.command(message);
        takeEvents();
    }

    private int size() {
        int[] sizes = {0, 1 + random.nextInt(64), random.nextInt(5000), random.nextInt(BLOCK)};
        return sizes[random.nextInt(sizes.length)];
    }

    // Three pieces of one block, in their order, with an odd border.
    private int putList(Post post) {
        long at = offset(post.block) + BLOCK / 64 * 64 + 64;
        long first = 1 + random.nextInt(50);
        long second = (post.bytes - first) / 2;
        long[] borders = {0, first, first + second, post.bytes};
        for (int i = 0; i < 3; i++) {
            world.memory().setLongPlain(at + 16L * i, offset(post.block) + borders[i]);
            world.memory().setLongPlain(at + 16L * i + 8, borders[i + 1] - borders[i]);
        }
        return 3;
    }

    private MemorySegment memory(long offset, long bytes) {
        return world.memory().slice(offset, bytes);
    }

    private void fill(Post post) {
        MemorySegment memory = memory(offset(post.block), post.bytes);
        for (int i = 0; i < post.bytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, RemoteOperation.content(post.number, i));
        }
    }

    void cancelOne() {
        for (Post post : open.values()) {
            if (post.zoidId != 0 && !post.isCancelRequested && random.nextInt(3) == 0) {
                post.isCancelRequested = true;
                ServerRequests.cancel(message, ++lastId, post.operationId, post.zoidId);
                world.command(message);
                takeEvents();
                return;
            }
        }
    }

    void takeEvents() {
        for (Message m = world.toServer.poll(); m != null; m = world.toServer.poll()) {
            switch (m.kind()) {
                case ServerEvents.REGISTERED ->
                        post(ServerEvents.operationId(m)).zoidId = ServerEvents.answer(m);
                case ServerEvents.POST_COMPLETED ->
                        over(ServerEvents.operationId(m), 0, ServerEvents.answer(m));
                case ServerEvents.POST_REFUSED ->
                        over(ServerEvents.operationId(m), (int) ServerEvents.answer(m), 0);
                case ServerEvents.COMPLETION ->
                        over(
                                ServerEvents.completedOperation(m),
                                ServerEvents.completionCode(m),
                                ServerEvents.completionBytes(m));
                case ServerEvents.CANCEL_REPLY -> {
                    if (ServerEvents.cancelOutcome(m) == ServerEvents.CANCELLED) {
                        over(ServerEvents.operationId(m), -1, 0);
                    }
                }
                case ServerEvents.UNEXPECTED -> unexpected(m);
                default -> {}
            }
        }
    }

    private Post post(long operationId) {
        Post post = open.get(operationId);
        assertThat(post).as("server operation %d", operationId).isNotNull();
        return post;
    }

    private void over(long operationId, int code, long bytes) {
        Post post = post(operationId);
        open.remove(operationId);
        post.isOver = true;
        post.reports++;
        post.outcome = code;
        post.outcomeBytes = bytes;
        if (code == 0 && !post.sends) {
            post.received = checkContent(offset(post.block), bytes);
        }
        freeBlocks.add(post.block);
    }

    private void unexpected(Message m) {
        int number = checkContent(ServerEvents.offset(m), ServerEvents.bytes(m));
        if (number >= 0) {
            unexpected.add(number);
        }
        world.command(ServerRequests.unexpectedFree(message, ServerEvents.offset(m)));
    }

    private int checkContent(long offset, long bytes) {
        return numberIn(memory(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
    }

    /** The number that a message says, -1 if it is too short to say one; all of it is checked. */
    static int numberIn(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != '>') {
            end++;
        }
        if (end == bytes.length) {
            return -1;
        }
        int number = Integer.parseInt(new String(bytes, 1, end - 1, StandardCharsets.US_ASCII));
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != RemoteOperation.content(number, i)) {
                throw new AssertionError("byte " + i + " of message " + number);
            }
        }
        return number;
    }

    /** The numbers of the messages received under a tag, in the order of the receives. */
    List<Integer> received(int tag) {
        List<Integer> numbers = new ArrayList<>();
        for (Post post : all) {
            if (post.tag == tag && post.received >= 0) {
                numbers.add(post.received);
            }
        }
        return numbers;
    }

    int openPosts() {
        return open.size();
    }

    void cancelAll() {
        for (Post post : new ArrayList<>(open.values())) {
            if (post.zoidId != 0) {
                ServerRequests.cancel(message, ++lastId, post.operationId, post.zoidId);
                world.command(message);
            }
        }
        takeEvents();
    }
}
