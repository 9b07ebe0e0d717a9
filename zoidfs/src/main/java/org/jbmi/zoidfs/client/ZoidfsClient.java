package org.jbmi.zoidfs.client;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A client of one server. Safe for use by any thread. Each operation waits for its reply in the
 * thread that calls it; {@link #submit} runs operations in a thread of the client. An interrupt
 * does not end an operation; the thread stays interrupted.
 *
 * <p>An operation that fails throws a {@link ZoidfsException}. Its status is the server's, or one
 * of the client's. The client uses {@link Status#TIMEOUT} if the server is silent, or busy with one
 * message of data, for longer than {@link ClientOptions#timeoutMs} allows. It uses {@link
 * Status#XDR} if it cannot read the reply, and {@link Status#OTHER} for every other failure.
 *
 * <p>The caller owns the memory of reads and writes. It may be any segment that all threads may
 * access (of a shared or automatic arena, or over a {@code byte[]}). Until the operation returns,
 * the client may access the memory and the caller must not change it.
 *
 * <p>An operation that throws cancels its messages and waits up to 1 s for each. Memory that is
 * still in use after that may change until the client is closed. Lengths and offsets are in bytes.
 * Names and paths have one character for each byte, see {@link #wireText}.
 */
public final class ZoidfsClient implements AutoCloseable {
    private static final long THREAD_IDLE_SECONDS = 10;

    /** The client asks the server for its limit only before longer messages of data. */
    private static final long PLAIN_BYTES = 64 << 10;

    /** As many as servers send. */
    private static final int MAX_ENTRIES = 43_690;

    private final CompletionContext context;
    private final PeerAddress server;
    private final ClientOptions options;
    private final long chunkBytes;
    private final long requestBytes;
    private final int mostEntries;
    private final ThreadPoolExecutor threads;
    private final TagSpace tags;
    private final Traffic traffic;

    /** The longest message of data; 0 before the server has told it, and after a failure. */
    private volatile long agreedBytes;

    private volatile boolean closed;

    private ZoidfsClient(Bmi bmi, String address, ClientOptions options) {
        this.options = options;
        this.traffic = new Traffic(options.timeoutMs(), System::nanoTime);
        this.server = bmi.lookup(address);
        long expectedBytes = bmi.getOption(server, Options.MAX_EXPECTED_BYTES);
        this.chunkBytes = Math.min(options.chunkBytes(), expectedBytes);
        this.mostEntries = mostEntries(expectedBytes, options.dialect());
        this.requestBytes = bmi.getOption(server, Options.MAX_UNEXPECTED_BYTES);
        this.tags = bmi.shared(TagSpace.class, TagSpace::new);
        this.context = bmi.openContext();
        this.threads =
                new ThreadPoolExecutor(
                        options.threads(),
                        options.threads(),
                        THREAD_IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("zoidfs-client-", 0).factory(),
                        (work, pool) -> work.run()); // closed: so its future fails
        threads.allowCoreThreadTimeOut(true);
    }

    /** How many entries of a directory fit into a reply. */
    private static int mostEntries(long replyBytes, Dialect dialect) {
        Request ofNone = Request.readdir(FileHandle.NONE, 0, 0, 0, Hints.NONE);
        long entriesBytes = replyBytes - Reply.maximumBytes(ofNone, dialect);
        return Math.clamp(entriesBytes / DirectoryEntry.MAX_BYTES, 1, MAX_ENTRIES);
    }

    /**
     * Opens a client: looks the server up, which over zoid connects and may wait (see {@link
     * Bmi#lookup}), and opens a context. It sends no request yet.
     *
     * @param bmi the messaging instance; the caller closes it after the client. It may have any
     *     number of clients, also of one server
     * @param address of the server, for example {@code "tcp://host:3334"}
     * @param options its settings
     * @throws BmiException as {@link Bmi#lookup} and {@link Bmi#openContext}
     */
    public static ZoidfsClient connect(Bmi bmi, String address, ClientOptions options) {
        return new ZoidfsClient(bmi, address, options);
    }

    /**
     * Encodes a text for the protocol: the bytes of UTF-8, a character for each.
     *
     * @throws IllegalArgumentException if the text has only half of a surrogate pair; UTF-8 has no
     *     bytes for it
     */
    public static String wireText(String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException(
                    '"' + text + "\" has half of a surrogate pair, which is no character");
        }
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** Decodes a text of the protocol as UTF-8. */
    public static String readableText(String wireText) {
        return new String(wireText.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** Sends a request without effect and waits for the reply. */
    public void ping() throws IOException {
        call(Request.nothing(), null, "null");
    }

    /**
     * Returns the counters of a server of this project, in the text format of Prometheus. Other
     * servers refuse the request.
     */
    public String serverReport() throws IOException {
        return exchanging(Exchange::report);
    }

    /** All attributes of a file. */
    public Attributes getAttributes(FileHandle handle) throws IOException {
        Attributes asked = Attributes.asking(AttributeMask.ALL);
        Request request = Request.getAttr(handle, asked, Hints.NONE);
        return Objects.requireNonNull(call(request, null, "get_attr").attributes());
    }

    /** Changes attributes, and returns all of them. */
    public Attributes setAttributes(FileHandle handle, SettableAttributes settable)
            throws IOException {
        Attributes asked = Attributes.asking(AttributeMask.ALL);
        Request request = Request.setAttr(handle, settable, asked, Hints.NONE);
        return Objects.requireNonNull(call(request, null, "set_attr").attributes());
    }

    /** The handle of a name; a link at its end is not followed. */
    public FileHandle lookup(FileSpec file) throws IOException {
        Request request = Request.onNames(Operation.LOOKUP, file, null, null, Hints.NONE);
        return Objects.requireNonNull(call(request, null, file.text()).handle());
    }

    /** The text of a symbolic link. */
    public String readLink(FileHandle handle) throws IOException {
        Request request =
                Request.onHandle(Operation.READLINK, handle, FileSpec.MAX_PATH_BYTES, Hints.NONE);
        return Objects.requireNonNull(call(request, null, "readlink").text());
    }

    /** Makes written data durable; reports the errors of {@link #writeBehind}. */
    public void commit(FileHandle handle) throws IOException {
        call(Request.onHandle(Operation.COMMIT, handle, 0, Hints.NONE), null, "commit");
    }

    /**
     * A file that was made or found.
     *
     * @param handle its handle
     * @param isNew whether it was made
     */
    public record Created(FileHandle handle, boolean isNew) {}

    /** Makes a regular file, or returns the existing one. */
    public Created create(FileSpec file, SettableAttributes settable) throws IOException {
        Request request = Request.onNames(Operation.CREATE, file, null, settable, Hints.NONE);
        Reply reply = call(request, null, file.text());
        return new Created(Objects.requireNonNull(reply.handle()), reply.created());
    }

    /** Removes a file, a link or an empty directory. */
    public void remove(FileSpec file) throws IOException {
        call(Request.onNames(Operation.REMOVE, file, null, null, Hints.NONE), null, file.text());
    }

    /** Renames; an existing file with the new name is replaced. */
    public void rename(FileSpec from, FileSpec to) throws IOException {
        call(Request.onNames(Operation.RENAME, from, to, null, Hints.NONE), null, from.text());
    }

    /** Makes a symbolic link with a text. */
    public void symlink(String text, FileSpec link) throws IOException {
        Request request =
                Request.onNames(
                        Operation.SYMLINK,
                        FileSpec.path(text),
                        link,
                        SettableAttributes.NONE,
                        Hints.NONE);
        call(request, null, link.text());
    }

    /** Makes another name for a file. */
    public void link(FileSpec existing, FileSpec link) throws IOException {
        call(Request.onNames(Operation.LINK, existing, link, null, Hints.NONE), null, link.text());
    }

    /** Makes a directory. */
    public void makeDirectory(FileSpec directory, SettableAttributes settable) throws IOException {
        Request request = Request.onNames(Operation.MKDIR, directory, null, settable, Hints.NONE);
        call(request, null, directory.text());
    }

    /**
     * A part of a directory, including "." and "..". {@link DirectoryParts} gives all of them.
     *
     * @param directory its handle
     * @param cookie 0, or that of the last entry seen
     * @param maximum the most entries, 0 or more; fewer may come, at most 43 690; none means the
     *     end
     * @param flags which attributes are wanted, and {@code READDIR_HANDLES}
     * @throws IllegalArgumentException if the most entries are less than 0
     */
    public List<DirectoryEntry> readDirectory(
            FileHandle directory, long cookie, int maximum, int flags) throws IOException {
        if (maximum < 0) {
            throw new IllegalArgumentException("A part of a directory has 0 entries or more");
        }
        int most = Math.min(maximum, mostEntries);
        Request request = Request.readdir(directory, cookie, most, flags, Hints.NONE);
        return call(request, null, "readdir").entries();
    }

    /** Sets the length of a file in bytes. */
    public void resize(FileHandle handle, long sizeBytes) throws IOException {
        call(Request.onHandle(Operation.RESIZE, handle, sizeBytes, Hints.NONE), null, "resize");
    }

    /** Reads, and returns the number of bytes: fewer than the memory has at the end of the file. */
    public long read(FileHandle handle, MemorySegment into, long offset) throws IOException {
        return move(Operation.READ, handle, into, offset, Hints.NONE);
    }

    /** Writes all of the memory at an offset, and returns the number of bytes. */
    public long write(FileHandle handle, MemorySegment from, long offset) throws IOException {
        return move(Operation.WRITE, handle, from, offset, Hints.NONE);
    }

    /** Writes, and may return before the data is in the file; {@link #commit} reports errors. */
    public long writeBehind(FileHandle handle, MemorySegment from, long offset) throws IOException {
        return move(Operation.WRITE, handle, from, offset, Hints.of(Hints.WRITE_BEHIND, "1"));
    }

    private long move(
            Operation operation, FileHandle handle, MemorySegment memory, long offset, Hints hints)
            throws IOException {
        long total = memory.byteSize();
        if (total == 0) {
            return 0;
        }
        Transfer transfer = Transfer.of(offset, total, chunk(total));
        Request request = Request.moving(operation, handle, transfer, hints);
        return moved(transfer, call(request, List.of(memory), operation.label())).sum();
    }

    /** How much of each region of the file was moved. No region is longer than it was asked for. */
    private static LongList moved(Transfer transfer, Reply reply) throws ZoidfsException {
        LongList sizes = Objects.requireNonNull(reply.sizes());
        LongList asked = transfer.fileSizes();
        boolean isPossible = sizes.size() == asked.size();
        for (int i = 0; isPossible && i < asked.size(); i++) {
            isPossible = sizes.get(i) >= 0 && sizes.get(i) <= asked.get(i);
        }
        if (!isPossible) {
            throw new ZoidfsException(Status.XDR, "The sizes of a reply");
        }
        return sizes;
    }

    /**
     * Returns the size of the messages of a transfer: 0 for one message, else the length of each
     * but the last.
     */
    private long chunk(long total) throws ZoidfsException {
        long most = Math.min(total, chunkBytes) > PLAIN_BYTES ? agreed() : chunkBytes;
        return total >= most ? most : 0;
    }

    private long agreed() throws ZoidfsException {
        long agreed = agreedBytes;
        if (agreed == 0) {
            long told = exchanging(Exchange::longestMessage);
            agreed = told > 0 ? Math.min(told, chunkBytes) : chunkBytes;
            agreedBytes = agreed;
        }
        return agreed;
    }

    /**
     * Reads or writes: moves bytes between regions of memory and regions of a file.
     *
     * @param writing whether to write to the file
     * @param handle the file
     * @param memory the regions of memory, in order
     * @param offsets where the regions of the file begin
     * @param sizes their lengths, as many as offsets. Their sum must be that of the lengths of the
     *     regions of memory; otherwise the server refuses with {@link Status#INVAL}
     * @return bytes moved for each region of the file
     * @throws IllegalArgumentException if there are not as many sizes as offsets
     */
    public LongList moveList(
            boolean writing,
            FileHandle handle,
            List<MemorySegment> memory,
            LongList offsets,
            LongList sizes)
            throws IOException {
        if (offsets.size() != sizes.size()) {
            throw new IllegalArgumentException(
                    offsets.size() + " offsets of " + sizes.size() + " regions");
        }
        LongList memorySizes =
                LongList.of(memory.stream().mapToLong(MemorySegment::byteSize).toArray());
        Transfer transfer = new Transfer(memorySizes, offsets, sizes, chunk(memorySizes.sum()));
        Operation operation = writing ? Operation.WRITE : Operation.READ;
        Request request = Request.moving(operation, handle, transfer, Hints.NONE);
        return moved(transfer, call(request, memory, operation.label()));
    }

    /**
     * Appends to a file, at its end at the time of the write.
     *
     * @param handle the file
     * @param from the data
     * @param expectedEnd where a server that knows no appends writes the data
     * @return the offset, or -1 in a dialect that does not tell it
     * @throws ZoidfsException with IO if only a part was written, and as other operations
     */
    public long append(FileHandle handle, MemorySegment from, long expectedEnd) throws IOException {
        long total = from.byteSize();
        Transfer transfer = Transfer.of(expectedEnd, total, chunk(total));
        Hints hints = Hints.of(Hints.ATOMIC_APPEND, "1");
        Request request = Request.moving(Operation.WRITE, handle, transfer, hints);
        Reply reply = call(request, List.of(from), "append");
        if (moved(transfer, reply).sum() != total) {
            throw new ZoidfsException(Status.IO, "append of a part");
        }
        // It is done, whatever the server says of its place.
        return number(reply.hints().get(Hints.ATOMIC_APPEND_OFFSET)).orElse(-1);
    }

    /** A number in the text of a server; empty if there is none, or it is none. */
    private static OptionalLong number(@Nullable String text) {
        try {
            return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Changes a shared file pointer. Only {@link org.jbmi.zoidfs.protocol.Dialect#SFP} has them.
     *
     * @param handle the file
     * @param operation CREATE, REMOVE, GET, SET or FETCH_AND_ADD
     * @param id which pointer of the file
     * @param value for CREATE and SET the new value, for FETCH_AND_ADD what is added
     * @return its value, for FETCH_AND_ADD that before
     * @throws ZoidfsException with EXIST (CREATE), NOENT (no such pointer), NOSPC (too many),
     *     INVAL, or NOTIMPL if the server has no shared pointers
     */
    public long sharedPointer(FileHandle handle, String operation, String id, long value)
            throws IOException {
        Hints hints =
                Hints.of(Hints.POINTER_OPERATION, operation)
                        .with(Hints.POINTER_ID, id)
                        .with(Hints.POINTER_VALUE, Long.toString(value));
        Request request = Request.getAttr(handle, Attributes.asking(0), hints);
        String told = call(request, null, operation).hints().get(Hints.POINTER_VALUE);
        if (told == null) {
            throw new ZoidfsException(Status.NOTIMPL, operation + " of a shared pointer");
        }
        return number(told)
                .orElseThrow(
                        () -> new ZoidfsException(Status.XDR, "The value of a shared pointer"));
    }

    /**
     * Runs operations in a thread of the client.
     *
     * @param work operations of this client, for example {@code () -> client.lookup(file)}
     * @param <T> the type of the result
     * @return completed with the result or the exception of the work. If the client closes before
     *     the work begins, the work does not run, and the future fails with a {@link
     *     ZoidfsException} of status {@link Status#OTHER}
     */
    public <T> CompletableFuture<T> submit(Callable<T> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    if (closed) { // no thread of the client ran it
                        throw new CompletionException(closedFailure());
                    }
                    try {
                        return work.call();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                threads);
    }

    /**
     * Runs a request that no other method makes.
     *
     * @param request the request
     * @param data the memory of a read or write, of the length that the request announces; else
     *     null
     * @param what how an exception names the call
     * @return a reply with status 0
     */
    public Reply call(Request request, @Nullable List<MemorySegment> data, String what)
            throws IOException {
        byte[] bytes = request.toByteArray();
        if (bytes.length > requestBytes) {
            throw new ZoidfsException(
                    Status.OTHER, what + " has more regions or a longer name than fit");
        }
        Reply reply = exchanging(exchange -> exchange.run(request, bytes, data, options.dialect()));
        if (reply.status() != Status.OK) {
            throw new ZoidfsException(reply.status(), what);
        }
        return reply;
    }

    private static ZoidfsException closedFailure() {
        return new ZoidfsException(Status.OTHER, "The client is closed");
    }

    /** The exchange of one call. */
    private interface Exchanging<T> {
        T with(Exchange exchange) throws ZoidfsException;
    }

    private <T> T exchanging(Exchanging<T> work) throws ZoidfsException {
        if (closed) {
            throw closedFailure();
        }
        int tag = tags.take();
        boolean answered = false;
        try {
            T result = work.with(new Exchange(context, server, tag, options.timeoutMs(), traffic));
            answered = true;
            return result;
        } finally {
            if (answered) {
                tags.give(tag);
            } else {
                // A late reply must not reach another call.
                tags.giveDoubtful(tag);
                // Another server may answer next.
                agreedBytes = 0;
            }
        }
    }

    /** Whether it was closed. */
    public boolean isClosed() {
        return closed;
    }

    /** Closes the client, but not its instance of BMI. Operations under way fail. */
    @Override
    public void close() {
        closed = true;
        threads.shutdownNow().forEach(Runnable::run); // so that their futures fail
        context.close();
    }
}
