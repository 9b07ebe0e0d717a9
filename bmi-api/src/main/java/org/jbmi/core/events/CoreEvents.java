package org.jbmi.core.events;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Map;

/**
 * The flight recorder's events of one instance. No event object is made while nobody records. One
 * event of each kind is kept to ask whether it is enabled; that costs nothing until a recording
 * starts.
 */
public final class CoreEvents {
    private final PostEvent postProbe = new PostEvent();
    private final CompleteEvent completeProbe = new CompleteEvent();
    private final RefuseEvent refuseProbe = new RefuseEvent();
    private final ConnectEvent connectProbe = new ConnectEvent();
    private final ExhaustEvent exhaustProbe = new ExhaustEvent();

    /** Begins to time a post; null if nobody records posts. */
    public @Nullable PostEvent beginPost() {
        if (!postProbe.isEnabled()) {
            return null;
        }
        PostEvent event = new PostEvent();
        event.begin();
        return event;
    }

    /**
     * Commits the event of a post that was accepted.
     *
     * @param id of the operation; 0 if it completed in the post
     */
    public void endPost(
            PostEvent event,
            long id,
            OperationKind kind,
            PeerAddress target,
            int tag,
            long sizeBytes,
            Map<String, String> hints) {
        event.end();
        event.operation = id;
        event.method = target.scheme();
        event.peer = target.displayName();
        event.kind = name(kind);
        event.tag = tag;
        event.sizeBytes = sizeBytes;
        event.completed = id == 0;
        event.hints = hints.isEmpty() ? null : hints.toString();
        event.commit();
    }

    /** Records that a pending operation completed; its fields still hold what was posted. */
    public void completed(Operation operation, @Nullable PeerAddress peer, int error, long bytes) {
        if (completeProbe.isEnabled()) {
            record(operation, peer, error, bytes);
        }
    }

    private static void record(
            Operation operation, @Nullable PeerAddress peer, int error, long bytes) {
        CompleteEvent event = new CompleteEvent();
        event.operation = operation.id();
        if (peer != null) {
            event.method = peer.scheme();
            event.peer = peer.displayName();
        }
        event.kind = name(operation.kind());
        event.tag = operation.tag();
        event.sizeBytes = error == 0 ? bytes : 0;
        event.error = error == 0 ? null : errorName(error);
        event.commit();
    }

    /** A post was refused with a negative code. */
    public void refused(OperationKind kind, PeerAddress target, int tag, long sizeBytes, int code) {
        if (refuseProbe.isEnabled()) {
            RefuseEvent event = new RefuseEvent();
            event.method = target.scheme();
            event.peer = target.displayName();
            event.kind = name(kind);
            event.tag = tag;
            event.sizeBytes = sizeBytes;
            event.error = errorName(code);
            event.commit();
        }
    }

    /** Begins to time a look-up; null if nobody records them. */
    public @Nullable ConnectEvent beginConnect() {
        if (!connectProbe.isEnabled()) {
            return null;
        }
        ConnectEvent event = new ConnectEvent();
        event.begin();
        return event;
    }

    /** Commits the event of a look-up. */
    public void endConnect(ConnectEvent event, PeerAddress peer, boolean incoming) {
        event.end();
        event.method = peer.scheme();
        event.peer = peer.displayName();
        event.incoming = incoming;
        event.commit();
    }

    /** Records that a bounded resource was used up. */
    public void exhausted(String resource, @Nullable String scheme, long wanted) {
        if (exhaustProbe.isEnabled()) {
            ExhaustEvent event = new ExhaustEvent();
            event.resource = resource;
            event.method = scheme;
            event.wanted = wanted;
            event.commit();
        }
    }

    /** The name of a kind in events. */
    public static String name(OperationKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static String errorName(int code) {
        ErrorCode known = ErrorCode.of(code);
        return known == null ? Integer.toString(code) : known.name();
    }
}
