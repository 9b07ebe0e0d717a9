package org.jbmi.core;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** Turns a post call into an operation of its method. */
final class Poster {
    private final CoreBmi owner;
    private final CoreContext context;

    Poster(CoreBmi owner, CoreContext context) {
        this.owner = owner;
        this.context = context;
    }

    long post(
            OperationKind kind,
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options) {
        CorePeer target = owner.peers().check(peer);
        SegmentCheck.check(buffer, kind == OperationKind.RECEIVE);
        int refusal = refusal(kind, target, buffer.byteSize());
        if (refusal != 0) {
            return refusal;
        }
        CoreOperation operation = owner.table().take();
        if (operation == null) {
            return ErrorCode.ENOBUFS.negativeValue();
        }
        operation.single(buffer);
        return start(operation, kind, target, tag, messageClass, userData, options);
    }

    long postList(
            OperationKind kind,
            PeerAddress peer,
            MemorySegment[] buffers,
            long totalBytes,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options) {
        CorePeer target = owner.peers().check(peer);
        int most = target.method.limits().maxListCount();
        if (buffers.length > most) {
            throw CoreBmi.invalid(
                    "The list has " + buffers.length + " buffers; the method takes " + most + ".");
        }
        CoreOperation operation = owner.table().take();
        if (operation == null) {
            return ErrorCode.ENOBUFS.negativeValue();
        }
        int refusal;
        try {
            // The caller's array may change while it is looked at: only the copy is checked.
            operation.list(buffers, totalBytes);
            SegmentCheck.checkList(operation, kind == OperationKind.RECEIVE);
            refusal = refusal(kind, target, totalBytes);
        } catch (RuntimeException | Error e) {
            context.queue().retract(operation);
            throw e;
        }
        if (refusal != 0) {
            context.queue().retract(operation);
            return refusal;
        }
        return start(operation, kind, target, tag, messageClass, userData, options);
    }

    private static int refusal(OperationKind kind, CorePeer target, long sizeBytes) {
        int refusal = target.refusal;
        if (refusal != 0) {
            return refusal;
        }
        MethodLimits limits = target.method.limits();
        long most =
                kind == OperationKind.SEND_UNEXPECTED
                        ? limits.maxUnexpectedBytes()
                        : limits.maxExpectedBytes();
        return sizeBytes > most ? ErrorCode.EMSGSIZE.negativeValue() : 0;
    }

    private long start(
            CoreOperation operation,
            OperationKind kind,
            CorePeer target,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options) {
        long result;
        long id;
        boolean expires;
        try {
            operation.describe(kind, target.address, tag, messageClass);
            operation.options(options);
            operation.method = target.method;
            operation.context = context;
            operation.userData = userData;
            expires = operation.hasDeadline();
            id = operation.begin(owner.table().slotBits());
            result = target.method.post(operation);
        } catch (RuntimeException | Error e) {
            context.queue().retract(operation);
            throw e;
        }
        if (result != Method.PENDING) {
            context.queue().retract(operation);
            return result;
        }
        if (expires && owner.deadlines().add(operation, id)) {
            owner.progress().wake();
        }
        if (context.isClosed()) {
            // Whoever closes may have looked for operations just before this one was there.
            owner.cancel(operation, id, ErrorCode.ECANCEL.negativeValue());
        }
        return id;
    }
}
