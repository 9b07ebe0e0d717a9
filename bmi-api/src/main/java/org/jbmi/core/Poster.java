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
        // The caller's array may change while it is looked at: only the copy is checked and used.
        MemorySegment[] captured = buffers.clone();
        SegmentCheck.checkList(captured, totalBytes, kind == OperationKind.RECEIVE);
        int refusal = refusal(kind, target, totalBytes);
        if (refusal != 0) {
            return refusal;
        }
        CoreOperation operation = owner.table().take();
        if (operation == null) {
            return ErrorCode.ENOBUFS.negativeValue();
        }
        operation.list(captured, totalBytes);
        return start(operation, kind, target, tag, messageClass, userData, options);
    }

    private static int refusal(OperationKind kind, CorePeer target, long sizeBytes) {
        if (target.dropped) {
            return ErrorCode.EPROTO.negativeValue();
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
        operation.describe(kind, target.address, tag, messageClass);
        operation.options(options);
        operation.method = target.method;
        operation.context = context;
        operation.userData = userData;
        boolean expires = operation.hasDeadline();
        long id = operation.begin(owner.table().slotBits());
        long result;
        try {
            result = target.method.post(operation);
        } catch (RuntimeException | Error e) {
            owner.table().free(operation, owner.deadlines());
            throw e;
        }
        if (result != Method.PENDING) {
            owner.table().free(operation, owner.deadlines());
            return result;
        }
        if (expires) {
            owner.deadlines().add(operation, id);
            owner.progress().wake();
        }
        return id;
    }
}
