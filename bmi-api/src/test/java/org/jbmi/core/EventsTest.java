package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the flight recorder sees. */
class EventsTest extends ScriptedTest {
    private static final List<String> NAMES =
            List.of("Post", "Complete", "Refuse", "Connect", "Exhaust");

    @TempDir Path temporary;

    @Override
    BmiBuilder builder() {
        return Bmi.builder().knob("bmi.maxContexts", "2").knob("bmi.maxOperations", "64");
    }

    private interface Actions {
        void run();
    }

    private List<RecordedEvent> record(Actions actions) throws IOException {
        try (Recording recording = new Recording()) {
            NAMES.forEach(name -> recording.enable("org.jbmi." + name).withoutThreshold());
            recording.start();
            actions.run();
            recording.stop();
            Path file = temporary.resolve("events.jfr");
            recording.dump(file);
            return RecordingFile.readAllEvents(file);
        }
    }

    private static RecordedEvent only(List<RecordedEvent> events, String name) {
        List<RecordedEvent> found = all(events, name);
        assertThat(found).as(name).hasSize(1);
        return found.getFirst();
    }

    private static List<RecordedEvent> all(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("org.jbmi." + name))
                .toList();
    }

    private void completeFirst(int error, long bytes) {
        method.complete(method.heldIds().getFirst(), error, bytes);
    }

    @Test
    void aPostAndItsCompletionSayWhatWasMoved() throws IOException {
        long[] id = new long[1];
        List<RecordedEvent> events =
                record(
                        () -> {
                            id[0] = context.postReceive(peer, buffer.asSlice(0, 40), 7);
                            completeFirst(0, 30);
                            context.test(id[0], done, 0);
                        });
        RecordedEvent post = only(events, "Post");
        assertThat(post.getLong("operation")).isEqualTo(id[0]);
        assertThat(post.getString("peer")).isEqualTo("test://peer");
        assertThat(post.getString("method")).isEqualTo("test");
        assertThat(post.getString("kind")).isEqualTo("receive");
        assertThat(post.getInt("tag")).isEqualTo(7);
        assertThat(post.getLong("sizeBytes")).isEqualTo(40);
        assertThat(post.getBoolean("completed")).isFalse();
        assertThat(post.getEventType().getField("sizeBytes").getContentType())
                .isEqualTo("jdk.jfr.DataAmount");
        RecordedEvent complete = only(events, "Complete");
        assertThat(complete.getLong("operation")).isEqualTo(id[0]);
        assertThat(complete.getString("peer")).isEqualTo("test://peer");
        assertThat(complete.getLong("sizeBytes")).isEqualTo(30);
        assertThat(complete.getString("error")).isNull();
    }

    @Test
    void onlyMemoryThatAMethodLacksIsUsedUp() throws IOException {
        PeerAddress dropped = bmi.lookup("test://dropped");
        dropped.drop();
        List<RecordedEvent> events =
                record(
                        () -> {
                            assertThat(peer.allocate(-1)).isNull();
                            assertThat(dropped.allocate(1)).isNull();
                            assertThat(peer.allocate(1 << 30)).isNull();
                        });
        RecordedEvent exhaust = only(events, "Exhaust");
        assertThat(exhaust.getString("resource")).isEqualTo("memory");
        assertThat(exhaust.getLong("wanted")).isEqualTo(1 << 30);
    }

    /** The method has the operation by then. */
    @Test
    void aPostThatCannotBeRecordedIsPostedAllTheSame() throws IOException {
        method.deliver("sender", 1, 0, 8);
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        assertThat(bmi.testUnexpected(one, 0)).isOne();
        PeerAddress sender = one.peer(0);
        List<Long> ids = new ArrayList<>();
        method.address("sender").failName = true;
        try {
            List<RecordedEvent> events =
                    record(() -> ids.add(context.postReceive(sender, buffer, 7)));
            assertThat(ids).isEqualTo(method.heldIds()).hasSize(1);
            assertThat(all(events, "Post")).isEmpty();
        } finally {
            method.address("sender").failName = false;
        }
    }

    /** Completed by this thread, then by the lead in its round. */
    @Test
    void completionsThatCannotBeRecordedAreReportedAllTheSame() throws IOException {
        method.deliver("sender", 1, 0, 8);
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        assertThat(bmi.testUnexpected(one, 0)).isOne();
        PeerAddress sender = one.peer(0);
        for (int i = 0; i < 3; i++) {
            context.postReceive(sender, buffer, 7);
        }
        method.address("sender").failName = true;
        try {
            List<RecordedEvent> events =
                    record(
                            () -> {
                                completeFirst(0, 1);
                                assertThat(context.testContext(done, 0)).isOne();
                                method.remote(() -> method.heldIds().forEach(method::complete));
                                assertThat(context.testContext(done, 0)).isEqualTo(2);
                            });
            assertThat(all(events, "Complete")).isEmpty();
        } finally {
            method.address("sender").failName = false;
        }
    }

    @Test
    void aPostShowsItsHints() throws IOException {
        PostOptions hinted = PostOptions.NONE.withHints(Map.of("job", "17"));
        List<RecordedEvent> events =
                record(
                        () -> {
                            context.postReceive(peer, buffer, 1, null, PostOptions.NONE);
                            context.postReceive(peer, buffer, 2, null, hinted);
                        });
        assertThat(all(events, "Post"))
                .extracting(post -> post.getString("hints"))
                .containsExactly(null, "{job=17}");
    }

    @Test
    void failuresRefusalsAndPostsThatEndAtOnce() throws IOException {
        List<RecordedEvent> events =
                record(
                        () -> {
                            context.postSend(peer, buffer, 1);
                            completeFirst(EIO, 5);
                            script.rule = (m, operation) -> EIO;
                            context.postSend(peer, buffer, 2);
                            script.rule = (m, operation) -> 3;
                            context.postSendUnexpected(peer, buffer.asSlice(0, 3), 3);
                        });
        RecordedEvent failed = only(events, "Complete");
        assertThat(failed.getString("error")).isEqualTo("EIO");
        assertThat(failed.getLong("sizeBytes")).isZero();
        RecordedEvent refused = only(events, "Refuse");
        assertThat(refused.getString("error")).isEqualTo("EIO");
        assertThat(refused.getInt("tag")).isEqualTo(2);
        assertThat(refused.getLong("sizeBytes")).isEqualTo(256);
        List<RecordedEvent> posts = all(events, "Post");
        assertThat(posts).hasSize(2);
        assertThat(posts.getLast().getBoolean("completed")).isTrue();
        assertThat(posts.getLast().getLong("operation")).isZero();
        assertThat(posts.getLast().getString("kind")).isEqualTo("send_unexpected");
    }

    @Test
    void listsAreRecordedLikeSingleBuffers() throws IOException {
        MemorySegment[] list = {buffer.asSlice(0, 10), buffer.asSlice(10, 20)};
        long[] id = new long[1];
        List<RecordedEvent> events =
                record(
                        () -> {
                            id[0] = context.postSendList(peer, list, 30, 1, null, PostOptions.NONE);
                            script.rule = (m, operation) -> 30;
                            context.postReceiveList(peer, list, 30, 2, null, PostOptions.NONE);
                            script.rule = (m, operation) -> EIO;
                            context.postSendUnexpectedList(
                                    peer, list, 30, 3, 0, null, PostOptions.NONE);
                        });
        List<RecordedEvent> posts = all(events, "Post");
        assertThat(posts).extracting(e -> e.getInt("tag")).containsExactly(1, 2);
        assertThat(posts).extracting(e -> e.getLong("operation")).containsExactly(id[0], 0L);
        assertThat(posts).extracting(e -> e.getBoolean("completed")).containsExactly(false, true);
        assertThat(posts).extracting(e -> e.getLong("sizeBytes")).containsExactly(30L, 30L);
        RecordedEvent refused = only(events, "Refuse");
        assertThat(refused.getInt("tag")).isEqualTo(3);
        assertThat(refused.getLong("sizeBytes")).isEqualTo(30);
        completeFirst(0, 30);
    }

    @Test
    void refusalByTheCoreIsRecordedToo() throws IOException {
        MemorySegment tooLong = Arena.ofAuto().allocate((1 << 20) + 1);
        MemorySegment[] list = {tooLong};
        List<RecordedEvent> events =
                record(
                        () -> {
                            context.postSend(peer, tooLong, 1);
                            context.postSendList(
                                    peer, list, (1 << 20) + 1, 2, null, PostOptions.NONE);
                        });
        assertThat(all(events, "Refuse")).extracting(e -> e.getInt("tag")).containsExactly(1, 2);
        assertThat(all(events, "Refuse"))
                .extracting(e -> e.getString("error"))
                .containsOnly("EMSGSIZE");
        assertThat(all(events, "Post")).isEmpty();
    }

    @Test
    void peersOfBothDirections() throws IOException {
        MemorySegment memory = buffer;
        List<RecordedEvent> events =
                record(
                        () -> {
                            bmi.lookup("test://other");
                            bmi.lookup("test://other");
                            method.host()
                                    .deliverUnexpected(
                                            method.address("sender"),
                                            1,
                                            0,
                                            ErrorCode.SUCCESS,
                                            memory,
                                            0,
                                            10,
                                            1);
                        });
        List<RecordedEvent> connects = all(events, "Connect");
        assertThat(connects).hasSize(2);
        assertThat(connects.getFirst().getString("peer")).isEqualTo("test://other");
        assertThat(connects.getFirst().getBoolean("incoming")).isFalse();
        assertThat(connects.getLast().getBoolean("incoming")).isTrue();
    }

    @Test
    void whatIsUsedUp() throws IOException {
        List<RecordedEvent> events =
                record(
                        () -> {
                            bmi.openContext();
                            assertThatThrownBy(() -> bmi.openContext())
                                    .isInstanceOf(BmiException.class);
                            List<Long> results = new ArrayList<>();
                            for (int i = 0; i < 65; i++) {
                                results.add(receive());
                            }
                            assertThat(results.getLast()).isNegative();
                        });
        assertThat(all(events, "Exhaust"))
                .extracting(event -> event.getString("resource"))
                .containsExactly("contexts", "operations");
        assertThat(only(events, "Refuse").getString("error")).isEqualTo("ENOBUFS");
        while (!method.heldIds().isEmpty()) {
            completeFirst(0, 1);
        }
    }

    @Test
    void whatHappensWithEveryMessageIsRecordedOnlyWhenAskedFor() throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            script.rule = (m, operation) -> 1;
            context.postSend(peer, buffer, 1);
            script.rule = (m, operation) -> EIO;
            context.postSend(peer, buffer, 1);
            recording.stop();
            Path file = temporary.resolve("none.jfr");
            recording.dump(file);
            assertThat(RecordingFile.readAllEvents(file))
                    .extracting(event -> event.getEventType().getName())
                    .containsExactly("org.jbmi.Refuse");
        }
    }
}
