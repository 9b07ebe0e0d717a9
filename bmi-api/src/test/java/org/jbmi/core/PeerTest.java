package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

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
        assertCode(ErrorCode.EINVAL, () -> gone.retain());
        assertCode(ErrorCode.EINVAL, () -> gone.release());
        assertThat(gone.allocate(10)).isNull();
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
    void aPeerIsFoundAgainByItsNumber() {
        PeerAddress sender = met("sender");
        assertThat(bmi.findPeer(peer.id())).isSameAs(peer);
        assertThat(bmi.findPeer(sender.id())).isSameAs(sender);
        for (long other : new long[] {0, -1, 1000, Long.MAX_VALUE}) {
            assertThat(bmi.findPeer(other)).isNull();
        }
        peer.drop();
        assertThat(bmi.findPeer(peer.id())).isNull();
        assertThat(bmi.findPeer(bmi.lookup("test://peer").id())).isNotSameAs(peer).isNotNull();
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
            assertCode(ErrorCode.EPROTO, () -> bmi.reverseLookup(foreign));
        }
        assertThat(inUse()).isZero();
    }

    @Test
    void releaseWithoutReferenceIsRefusedAndChangesNothing() {
        PeerAddress sender = met("sender");
        messages.free(0);
        assertCode(ErrorCode.EINVAL, () -> sender.release());
        sender.retain();
        sender.retain();
        sender.release();
        sender.release();
        assertForgotten(sender);
        assertThat(method.droppedAddresses).containsExactly(method.address("sender"));
    }

    @Test
    void lookedUpPeerOutlivesItsReferences() {
        peer.retain();
        peer.release();
        assertThat(bmi.lookup("test://peer")).isSameAs(peer);
        assertThat(PostResult.isPending(receive())).isTrue();
        assertCode(ErrorCode.EINVAL, () -> peer.release());
    }

    @Test
    void peerLivesAsLongAsItsMessages() {
        PeerAddress sender = met("sender");
        sender.retain();
        sender.release();
        assertThat(PostResult.isPending(context.postSend(sender, buffer, 1))).isTrue();
        messages.free(0);
        assertForgotten(sender);
    }

    @Test
    void methodDecidesWhetherAnAddressMayGo() {
        method.mayDrop = false;
        PeerAddress sender = met("sender");
        messages.free(0);
        sender.retain();
        sender.release();
        assertThat(PostResult.isPending(context.postSend(sender, buffer, 1))).isTrue();
        method.host().peerFailed(method.address("sender"), ErrorCode.EPIPE.negativeValue());
        assertForgotten(sender);
    }

    @Test
    void failedPeerRefusesWithItsCodeUntilItIsForgotten() {
        PeerAddress sender = met("sender");
        messages.free(0);
        sender.retain();
        method.host().peerFailed(method.address("sender"), ErrorCode.EHOSTDOWN.negativeValue());
        method.host().peerFailed(method.address("sender"), ErrorCode.EPIPE.negativeValue());
        assertThat(refusal(context.postSend(sender, buffer, 1)))
                .isEqualTo(ErrorCode.EHOSTDOWN.negativeValue());
        sender.release();
        assertForgotten(sender);
    }

    /** The method gives one object for both strings. */
    @Test
    void twoLookedUpPeersOfOneAddressFailTogether() {
        PeerAddress second = bmi.lookup("test://peer,absent://x");
        PeerAddress third = bmi.lookup("absent://x,test://peer");
        assertThat(second).isNotSameAs(peer);
        second.drop();
        method.host().peerFailed(method.address("peer"), ErrorCode.EHOSTDOWN.negativeValue());
        for (PeerAddress each : new PeerAddress[] {peer, third}) {
            assertThat(refusal(context.postSend(each, buffer, 1)))
                    .isEqualTo(ErrorCode.EHOSTDOWN.negativeValue());
        }
        peer.drop();
        assertThat(met("peer")).as("the one that is left").isSameAs(third);
    }

    @Test
    void aHandleThatComesAfterTheFailureIsRefusedToo() {
        method.host().peerFailed(method.address("peer"), ErrorCode.EHOSTDOWN.negativeValue());
        PeerAddress late = bmi.lookup("test://peer,absent://x");
        assertThat(refusal(context.postSend(late, buffer, 1)))
                .isEqualTo(ErrorCode.EHOSTDOWN.negativeValue());
    }

    @Test
    void aDropEndsAllOperationsEvenIfACancelFails() {
        long first = receive();
        long second = receive();
        failCancelOf(first);
        assertThatThrownBy(peer::drop).hasMessage("planted");
        assertThat(context.test(second, done, 0)).isOne();
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
        assertThat(method.droppedAddresses).containsExactly(method.address("peer"));
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
        assertThat(peer.isInRange("pe", -1)).isTrue();
        assertThat(peer.isInRange("pi", -1)).isFalse();
        PeerAddress local = bmi.lookup("local://x");
        assertCode(ErrorCode.ENOSYS, () -> local.isInRange("x", -1));
    }

    @Test
    void memoryIsTheMethods() {
        MemorySegment block = peer.allocate(100);
        assertThat(block).isNotNull();
        assertThat(block.byteSize()).isEqualTo(100);
        MemorySegment empty = peer.allocate(0);
        assertThat(empty).isNotNull();
        assertThat(empty.byteSize()).isZero();
        assertThat(peer.allocate(-1)).isNull();
        assertThat(peer.allocate(Long.MAX_VALUE)).isNull();
        method.busyBlock = block.address();
        assertCode(ErrorCode.EBUSY, () -> bmi.free(block));
        method.busyBlock = -1;
        assertCode(ErrorCode.EINVAL, () -> bmi.free(block.asSlice(16)));
        bmi.free(block);
        bmi.free(empty);
        assertCode(ErrorCode.EINVAL, () -> bmi.free(block));
        assertCode(ErrorCode.EINVAL, () -> bmi.free(MemorySegment.ofArray(new byte[4])));
    }

    /** The address that the method has given is gone when the core comes to add its handle. */
    @Test
    void aLookupDuringADropGivesAPeerThatIsConnected() {
        method.forgetsDisconnected = true;
        method.onLookup =
                () -> {
                    method.onLookup = () -> {};
                    peer.drop();
                };
        PeerAddress late = bmi.lookup("test://peer,absent://x");
        assertThat(met("peer")).isSameAs(late);
        assertThat(PostResult.isPending(context.postReceive(late, buffer, 1))).isTrue();
    }

    @Test
    void dropsOfOtherPeersDoNotDelayALookup() {
        int[] asked = new int[1];
        method.onLookup =
                () -> {
                    asked[0]++;
                    met("other").drop();
                };
        assertThat(bmi.lookup("test://late").displayName()).isEqualTo("test://late");
        assertThat(asked[0]).isOne();
    }

    @Test
    void aLookupWaitsUntilThePeerIsDisconnected() {
        method.forgetsDisconnected = true;
        CountDownLatch isGiven = new CountDownLatch(1);
        method.onLookup = isGiven::countDown;
        List<Call<PeerAddress>> lookups = new ArrayList<>();
        method.onDisconnect =
                () -> {
                    lookups.add(start(() -> bmi.lookup("test://peer")));
                    awaitQuietly(isGiven);
                };
        peer.drop();
        PeerAddress late = lookups.getFirst().result();
        assertThat(late).isNotSameAs(peer);
        assertThat(met("peer")).isSameAs(late);
    }

    @Test
    void aLookupWaitsUntilASenderThatWasReleasedIsRemoved() {
        PeerAddress sender = met("late");
        messages.free(0);
        sender.retain();
        method.forgetsDisconnected = true;
        CountDownLatch isGiven = new CountDownLatch(1);
        method.onLookup = isGiven::countDown;
        List<Call<PeerAddress>> lookups = new ArrayList<>();
        method.onDropped =
                () -> {
                    lookups.add(start(() -> bmi.lookup("test://late")));
                    awaitQuietly(isGiven);
                };
        sender.release();
        PeerAddress late = lookups.getFirst().result();
        assertThat(late).isNotSameAs(sender);
        assertThat(met("late")).isSameAs(late);
    }

    @Test
    void aLookupThatWaitsOfAnInterruptedThreadSleepsAndEndsWithTheInstance() {
        CountDownLatch isDisconnecting = new CountDownLatch(1);
        CountDownLatch mayDisconnect = new CountDownLatch(1);
        method.onDisconnect =
                () -> {
                    isDisconnecting.countDown();
                    awaitQuietly(mayDisconnect);
                };
        Call<Boolean> drop =
                start(
                        () -> {
                            peer.drop();
                            return true;
                        });
        awaitQuietly(isDisconnecting);
        try {
            Call<Boolean> lookup =
                    start(
                            () -> {
                                Thread.currentThread().interrupt();
                                assertCode(ErrorCode.EINVAL, () -> bmi.lookup("test://peer"));
                                return Thread.interrupted();
                            });
            lookup.asleep();
            bmi.close();
            assertThat(lookup.result()).as("it is still interrupted").isTrue();
        } finally {
            mayDisconnect.countDown();
        }
        assertThat(drop.result()).isTrue();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
