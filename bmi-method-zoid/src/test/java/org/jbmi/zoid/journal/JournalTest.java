package org.jbmi.zoid.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.journal.EngineJournal;
import org.jbmi.zbmi.host.journal.JournalKind;
import org.jbmi.zbmi.host.journal.JournalReader;
import org.jbmi.zbmi.host.journal.JournalRecord;
import org.jbmi.zbmi.host.journal.JournalReplay;
import org.jbmi.zbmi.host.journal.JournalTrace;
import org.jbmi.zbmi.host.journal.Journals;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Journals of a real daemon: written, read, replayed, falsified, cut off. */
@Timeout(120)
class JournalTest {
    private static final int ROUNDS = 40;

    @TempDir private Path directory;
    private Path folder;

    @BeforeEach
    void name() {
        folder = directory.resolve("journal");
    }

    private ZbmiDaemon daemon(String journalBytes) {
        return daemon(folder.toString(), journalBytes);
    }

    private ZbmiDaemon daemon(String journal, String journalBytes) {
        return daemon(directory.resolve("run"), journal, journalBytes);
    }

    private ZbmiDaemon daemon(Path run, String journal, String journalBytes) {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", run.toString())
                .knob("zbmi.segmentDirectory", directory.toString())
                .knob("zbmi.totalBytes", "16m")
                .knob("zbmi.journal", journal)
                .knob("zbmi.journalBytes", journalBytes)
                .start();
    }

    private BmiBuilder peer() {
        return Bmi.builder().knob("zoid.runtimeDirectory", directory.resolve("run").toString());
    }

    private Bmi server(String host) {
        BmiBuilder builder = peer().knob("zoid.host", host);
        if (!host.equals("daemon")) {
            builder.knob("zbmi.segmentDirectory", directory.toString())
                    .knob("zbmi.totalBytes", "16m")
                    .knob("zbmi.journal", folder.toString());
        }
        return builder.listen("zoid://").open();
    }

    /** Small and large messages, lists aside; some cancelled, some left pending. */
    private void traffic(int rounds) {
        traffic("daemon", rounds);
    }

    private void traffic(String host, int rounds) {
        try (Bmi server = server(host);
                CompletionContext ofServer = server.openContext();
                Bmi client = peer().open();
                CompletionContext ofClient = client.openContext()) {
            PeerAddress toServer = client.lookup("zoid://");
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
            MemorySegment in = MemorySegment.ofArray(new byte[20_000]);
            for (int i = 0; i < rounds; i++) {
                int bytes = i % 2 == 0 ? 100 : 20_000;
                MemorySegment out = MemorySegment.ofArray(new byte[bytes]).fill((byte) i);
                ofClient.await(
                        ofClient.postSendUnexpected(toServer, out.asSlice(0, 40), i), 20_000);
                assertThat(server.testUnexpected(messages, 20_000)).isEqualTo(1);
                PeerAddress peer = messages.peer(0);
                peer.retain();
                messages.free(0);
                MemorySegment block = peer.allocate(20_000);
                assertThat(block).isNotNull();
                long receive = ofServer.postReceive(peer, block, i);
                ofServer.cancel(ofServer.postReceive(peer, block, 1_000_000 + i));
                ofClient.await(ofClient.postSend(toServer, out, i), 20_000);
                assertThat(ofServer.await(receive, 20_000)).isEqualTo(bytes);
                answer(ofServer, peer, block.asSlice(0, bytes), ofClient, toServer, i);
                server.free(block);
            }
            ofClient.postReceive(toServer, in, 7_000_000);
        }
    }

    // An answer of few bytes finds its receive, and goes into a data slot; others are granted.
    private static void answer(
            CompletionContext ofServer,
            PeerAddress peer,
            MemorySegment bytes,
            CompletionContext ofClient,
            PeerAddress toServer,
            int tag) {
        MemorySegment in = MemorySegment.ofArray(new byte[20_000]);
        boolean isFirst = bytes.byteSize() == 100;
        long receive = isFirst ? ofClient.postReceive(toServer, in, tag) : 0;
        long answer = ofServer.postSend(peer, bytes, tag);
        receive = isFirst ? receive : ofClient.postReceive(toServer, in, tag);
        assertThat(ofClient.await(receive, 20_000)).isEqualTo(bytes.byteSize());
        ofServer.await(answer, 20_000);
    }

    private JournalReplay.Result replay(Path journal) throws Exception {
        try (JournalReader reader = Journals.require().open(journal)) {
            return JournalReplay.run(reader);
        }
    }

    private boolean isBeingWritten() throws Exception {
        try (JournalReader reader = Journals.require().open(folder)) {
            return reader.isBeingWritten();
        }
    }

    private List<JournalRecord> records() throws Exception {
        List<JournalRecord> records = new ArrayList<>();
        try (JournalReader reader = Journals.require().open(folder)) {
            JournalRecord record = new JournalRecord();
            while (reader.read(record) == JournalReader.RECORD) {
                records.add(new JournalRecord().copyFrom(record));
            }
        }
        return records;
    }

    @Test
    void aRunIsReadBackAndReplayedWithoutADifference() throws Exception {
        try (ZbmiDaemon daemon = daemon("1g")) {
            traffic(ROUNDS);
            assertThat(daemon.errors()).isEmpty();
            long end = System.nanoTime() + 10_000_000_000L;
            while (daemon.counters().find("zbmi.sessions.attached").get() > 0) {
                assertThat(System.nanoTime() - end).as("all sessions end").isNegative();
                Thread.onSpinWait();
            }
        }
        JournalReplay.Result result = replay(folder);
        assertThat(result.difference()).isNull();
        assertThat(result.end()).isEqualTo(JournalReplay.End.WHOLE);
        assertThat(result.events()).isGreaterThan(5L * ROUNDS);
        assertThat(result.actions()).isGreaterThan(5L * ROUNDS);

        JournalTrace trace = new JournalTrace();
        List<String> lines = records().stream().map(record -> trace.entry(record).line()).toList();
        assertThat(lines.getFirst()).contains("HEADER pid=" + ProcessHandle.current().pid());
        assertThat(lines.getLast()).contains("host  END");
        assertThat(lines).anyMatch(line -> line.matches(".*client 1 \\(pid \\d+\\)  SEND call=.*"));
        assertThat(lines)
                .anyMatch(line -> line.matches(".*-> server .*  REGISTERED call=.*after .* us.*"));
        assertThat(lines).anyMatch(line -> line.contains("CLIENT_GONE code="));
        assertThat(lines).anyMatch(line -> line.contains("MAY_PUBLISH published=1"));
        assertThat(lines).anyMatch(line -> line.contains("FILL_DATA_SLOT slot=7"));
        assertThat(lines).anyMatch(line -> line.contains("READ_DATA_SLOTS back="));
        assertThat(lines).noneMatch(line -> line.contains("word0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct", "embedded"})
    void soIsTheRunOfAServerThatHostsTheEngine(String host) throws Exception {
        if (host.equals("direct")) {
            try (ZbmiDaemon daemon = daemon("", "1m")) {
                traffic(host, ROUNDS);
                assertThat(daemon.errors()).isEmpty();
            }
        } else {
            traffic(host, ROUNDS);
        }
        JournalReplay.Result result = replay(folder);
        assertThat(result.difference()).isNull();
        assertThat(result.end()).isEqualTo(JournalReplay.End.WHOLE);
        assertThat(result.events()).isGreaterThan(5L * ROUNDS);
        assertThat(result.actions()).isGreaterThan(5L * ROUNDS);
        JournalTrace trace = new JournalTrace();
        List<String> lines = records().stream().map(record -> trace.entry(record).line()).toList();
        assertThat(lines).anyMatch(line -> line.matches(".*server \\(pid \\d+\\)  POST_SEND .*"));
    }

    @Test
    void aServerThatCannotKeepItsJournalDoesNotStart() throws Exception {
        server("embedded").close();
        assertThatThrownBy(() -> server("embedded").close())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("there is a journal in " + folder);
        folder = directory.resolve("another");
        server("embedded").close();
    }

    @Test
    void aFileInTheWayOfTheFolderIsNamedAsTheReason() throws Exception {
        Files.createFile(folder);
        assertThatThrownBy(() -> daemon("1m").close())
                .isInstanceOf(BmiException.class)
                .hasMessage("zbmi.journal: " + folder + " is in the way.");
    }

    @Test
    void aFalsifiedJournalIsNoticedInItsContext() throws Exception {
        try (ZbmiDaemon daemon = daemon("1g")) {
            traffic(5);
            assertThat(daemon.isHealthy()).isTrue();
        }
        List<JournalRecord> records = records();
        int at = 0;
        while (records.get(at).kind() != JournalKind.SENT.code() || at < records.size() / 2) {
            at++;
        }
        JournalRecord honest = records.get(at);
        JournalRecord changed =
                new JournalRecord().start(honest.kind(), honest.session(), honest.timeNs());
        for (int i = 0; i < honest.wordCount(); i++) {
            changed.put(i == honest.wordCount() - 1 ? honest.word(i) + 1 : honest.word(i));
        }
        records.set(at, changed);
        assertThat(differenceAfter(records, "changed").recorded().tellsTheSame(changed)).isTrue();
        assertThat(differenceAfter(records, "changed2").replayed().tellsTheSame(honest)).isTrue();

        records.remove(at);
        JournalReplay.Difference more = differenceAfter(records, "less");
        assertThat(more.replayed()).isNotNull();
        assertThat(more.before()).isNotEmpty();

        records.add(at, honest);
        records.add(at, honest);
        assertThat(differenceAfter(records, "more").recorded()).isNotNull();
    }

    private JournalReplay.Difference differenceAfter(List<JournalRecord> records, String name)
            throws Exception {
        Path other = directory.resolve(name);
        try (EngineJournal journal = Journals.require().create(other)) {
            records.forEach(journal::append);
        }
        JournalReplay.Difference difference = replay(other).difference();
        assertThat(difference).isNotNull();
        return difference;
    }

    @Test
    void aJournalCutOffInsideARecordIsReadToItsLastWholeOne() throws Exception {
        try (ZbmiDaemon daemon = daemon("1g")) {
            traffic(10);
            assertThat(daemon.isHealthy()).isTrue();
        }
        int whole = records().size();
        Path file;
        try (Stream<Path> files = Files.list(folder)) {
            file = files.filter(f -> f.toString().endsWith(".cq4")).findFirst().orElseThrow();
        }
        long end = lastByte(file);
        int last = whole;
        for (int cut : new int[] {1, 5, 13, 30, 200, 3000}) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(end - cut);
            }
            JournalReplay.Result result = replay(folder);
            assertThat(result.difference()).as("cut %d", cut).isNull();
            assertThat(result.end()).as("cut %d", cut).isEqualTo(JournalReplay.End.CUT_OFF);
            int left = records().size();
            assertThat(left).isLessThanOrEqualTo(last).isLessThan(whole);
            assertThat(left).isGreaterThan(whole / 4);
            last = left;
        }
    }

    /** Behind the last byte that is not 0. */
    private static long lastByte(Path file) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        int at = bytes.limit();
        while (bytes.get(at - 1) == 0) {
            at--;
        }
        return at;
    }

    @Test
    void aFullJournalEndsAndTheDaemonGoesOn() throws Exception {
        try (ZbmiDaemon daemon = daemon("64k")) {
            traffic(100);
            assertThat(daemon.errors()).hasSize(1);
            assertThat(daemon.errors().getFirst().toString()).contains("journal is full");
            assertThat(isBeingWritten()).isFalse();
            traffic(5);
        }
        JournalReplay.Result result = replay(folder);
        assertThat(result.difference()).isNull();
        assertThat(result.end()).isEqualTo(JournalReplay.End.OPEN);
    }

    @Test
    void aFolderWithAJournalIsNotWrittenTo() throws Exception {
        daemon("1m").close();
        assertThatThrownBy(() -> daemon("1m").close())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("there is a journal in " + folder);
        assertThatThrownBy(() -> replay(directory.resolve("none")))
                .hasMessageContaining("there is no folder");
        assertThatThrownBy(() -> replay(directory)).hasMessageContaining("there is no journal");
    }

    @Test
    void soIsThatOfADaemonToWhichNothingHasHappened() throws Exception {
        try (ZbmiDaemon idle = daemon("1m")) {
            Path run = directory.resolve("another");
            assertThatThrownBy(() -> daemon(run, folder.toString(), "1m").close())
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining("there is a journal in " + folder);
            assertThat(idle.errors()).isEmpty();
            assertThat(isBeingWritten()).isTrue();
        }
        assertThat(isBeingWritten()).isFalse();
        assertThat(replay(folder).end()).isEqualTo(JournalReplay.End.WHOLE);
    }

    @Test
    void onlyTheOwnerMayReadIt() throws Exception {
        daemon("1m").close();
        assertThat(Files.getPosixFilePermissions(folder)).hasSize(3);
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> Journals.require().create(open))
                .hasMessageContaining("must be 0700");
    }
}
