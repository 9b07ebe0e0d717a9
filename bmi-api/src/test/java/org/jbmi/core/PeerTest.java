package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;

/** Peers: lookup, names, references, and when one is forgotten. */
class PeerTest extends ScriptedTest {
    final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(8);

    PeerAddress met(String name) {
        method.deliver(name, 1, 0, 1);
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(1);
        return messages.peer(0);
    }

    static int refusal(long result) {
        assertThat(PostResult.isRefused(result)).isTrue();
        return (int) result;
    }

    void assertForgotten(PeerAddress gone) {
        assertThat(refusal(context.postSend(gone, buffer, 1)))
                .isEqualTo(ErrorCode.EPROTO.negativeValue());
        assertCode(ErrorCode.EINVAL, () -> bmi.retain(gone));
        assertCode(ErrorCode.EINVAL, () -> bmi.release(gone));
        assertThat(bmi.memalloc(gone, 10)).isNull();
    }

    @Test
    void equalStringsGiveOneHandle() {
        assertThat(bmi.lookup("test://peer")).isSameAs(peer);
        PeerAddress other = bmi.lookup("test://other");
        assertThat(other).isNotSameAs(peer);
        assertThat(other.id()).isGreaterThan(peer.id()).isPositive();
        assertThat(other.scheme()).isEqualTo("test");
        assertThat(other.displayName()).isEqualTo("test://other");
        assertThat(bmi.reverseLookup(other)).contains("test://other");
        assertThat(bmi.reverseLookupUnexpected(other)).isEqualTo("other");
    }

    /** The second of two lookups at a time comes to add what the first has added. */
    @Test
    void lookupsAtATimeGiveOneHandle() {
        PeerTable peers = ((CoreBmi) bmi).peers();
        CorePeer first = peers.addLookedUp("test://new", method, method.address("new"), "test");
        CorePeer second = peers.addLookedUp("test://new", method, method.address("new"), "test");
        assertThat(second).isSameAs(first);
        assertThat(bmi.lookup("test://new")).isSameAs(first);
        assertThat(gauge("bmi.peers")).isEqualTo(2);
    }

    @Test
    void addressesThatNobodyTakesAreRefused() {
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup("foo://x"));
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup("nothing"));
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup(""));
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup("://x"));
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup("test:peer"));
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup("absent://x"));
        String longest = "test://" + "x".repeat(2041);
        assertThat(bmi.lookup(longest).displayName()).isEqualTo(longest);
        assertCode(ErrorCode.ENAMETOOLONG, () -> bmi.lookup(longest + "x"));
    }

    @Test
    void senderIsKnownByTheMethodsNameOrAsUnknown() {
        PeerAddress sender = met("sender 3");
        assertThat(bmi.reverseLookup(sender)).isEmpty();
        assertThat(bmi.reverseLookupUnexpected(sender)).isEqualTo("sender 3");
        messages.free(0);
        PeerAddress nameless = met("");
        assertThat(bmi.reverseLookupUnexpected(nameless)).isEqualTo("UNKNOWN");
        assertThat(nameless.displayName()).isEqualTo("UNKNOWN");
        assertThat(nameless).hasToString("UNKNOWN");
    }

    @Test
    void manyMessagesMakeOneHandle() {
        Set<PeerAddress> seen = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            seen.add(met("sender"));
            messages.free(0);
        }
        assertThat(seen).hasSize(1);
        assertThat(gauge("bmi.peers")).isEqualTo(2);
    }

    @Test
    void lookedUpPeerAndSenderAreOne() {
        assertThat(met("peer")).isSameAs(peer);
    }

    @Test
    void handlesOfOthersAreRefused() {
        try (Bmi other = Bmi.open()) {
            PeerAddress foreign = other.lookup("test://peer");
            assertCode(ErrorCode.EPROTO, () -> context.postSend(foreign, buffer, 1));
            assertCode(
                    ErrorCode.EPROTO,
                    () ->
                            context.postSendList(
                                    foreign, new MemorySegment[0], 0, 1, null, PostOptions.NONE));
            assertCode(ErrorCode.EPROTO, () -> bmi.retain(foreign));
            assertCode(ErrorCode.EPROTO, () -> bmi.reverseLookup(foreign));
            assertCode(ErrorCode.EPROTO, () -> bmi.memalloc(foreign, 1));
        }
        assertThat(inUse()).isZero();
    }

    @Test
    void releaseWithoutReferenceIsRefusedAndChangesNothing() {
        PeerAddress sender = met("sender");
        messages.free(0);
        assertCode(ErrorCode.EINVAL, () -> bmi.release(sender));
        bmi.retain(sender);
        bmi.retain(sender);
        bmi.release(sender);
        bmi.release(sender);
        assertForgotten(sender);
        assertThat(method.droppedAddresses).containsExactly(method.address("sender"));
    }

    @Test
    void lookedUpPeerOutlivesItsReferences() {
        bmi.retain(peer);
        bmi.release(peer);
        assertThat(bmi.lookup("test://peer")).isSameAs(peer);
        assertThat(PostResult.isPending(receive())).isTrue();
        assertCode(ErrorCode.EINVAL, () -> bmi.release(peer));
    }

    @Test
    void peerLivesAsLongAsItsMessages() {
        PeerAddress sender = met("sender");
        bmi.retain(sender);
        bmi.release(sender);
        assertThat(PostResult.isPending(context.postSend(sender, buffer, 1))).isTrue();
        messages.free(0);
        assertForgotten(sender);
    }

    @Test
    void methodDecidesWhetherAnAddressMayGo() {
        method.mayDrop = false;
        PeerAddress sender = met("sender");
        messages.free(0);
        bmi.retain(sender);
        bmi.release(sender);
        assertThat(PostResult.isPending(context.postSend(sender, buffer, 1))).isTrue();
        method.host().peerFailed(method.address("sender"), ErrorCode.EPIPE.negativeValue());
        assertForgotten(sender);
    }

    @Test
    void failedPeerRefusesWithItsCodeUntilItIsForgotten() {
        PeerAddress sender = met("sender");
        messages.free(0);
        bmi.retain(sender);
        method.host().peerFailed(method.address("sender"), ErrorCode.EHOSTDOWN.negativeValue());
        method.host().peerFailed(method.address("sender"), ErrorCode.EPIPE.negativeValue());
        assertThat(refusal(context.postSend(sender, buffer, 1)))
                .isEqualTo(ErrorCode.EHOSTDOWN.negativeValue());
        bmi.release(sender);
        assertForgotten(sender);
    }

    @Test
    void failureOfAPeerThatNobodyKnowsIsNothing() {
        method.host().peerFailed(method.address("stranger"), EIO);
        assertThat(gauge("bmi.peers")).isEqualTo(1);
    }

    @Test
    void forgottenSenderComesBackUnderANewHandle() {
        PeerAddress before = met("sender");
        messages.free(0);
        method.host().peerFailed(method.address("sender"), EIO);
        PeerAddress after = met("sender");
        assertThat(after).isNotSameAs(before);
        assertThat(after.id()).isGreaterThan(before.id());
        assertForgotten(before);
        assertThat(PostResult.isPending(context.postSend(after, buffer, 1))).isTrue();
    }

    @Test
    void rangesAreTheMethodsBusiness() {
        assertThat(bmi.inAddressRange(peer, "pe", -1)).isTrue();
        assertThat(bmi.inAddressRange(peer, "pi", -1)).isFalse();
        PeerAddress local = bmi.lookup("local://x");
        assertCode(ErrorCode.ENOSYS, () -> bmi.inAddressRange(local, "x", -1));
    }

    @Test
    void memoryIsTheMethods() {
        MemorySegment block = bmi.memalloc(peer, 100);
        assertThat(block).isNotNull();
        assertThat(block.byteSize()).isEqualTo(100);
        MemorySegment empty = bmi.memalloc(peer, 0);
        assertThat(empty).isNotNull();
        assertThat(empty.byteSize()).isZero();
        assertThat(bmi.memalloc(peer, -1)).isNull();
        assertThat(bmi.memalloc(peer, Long.MAX_VALUE)).isNull();
        method.busyBlock = block.address();
        assertCode(ErrorCode.EBUSY, () -> bmi.memfree(block));
        method.busyBlock = -1;
        assertCode(ErrorCode.EINVAL, () -> bmi.memfree(block.asSlice(16)));
        bmi.memfree(block);
        bmi.memfree(empty);
        assertCode(ErrorCode.EINVAL, () -> bmi.memfree(block));
        assertCode(ErrorCode.EINVAL, () -> bmi.memfree(MemorySegment.ofArray(new byte[4])));
    }
}
