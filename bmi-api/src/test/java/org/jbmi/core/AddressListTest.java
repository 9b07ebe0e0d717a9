package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.core.peer.AddressList;
import org.junit.jupiter.api.Test;

/** Addresses with elements of several methods. */
class AddressListTest extends ScriptedTest {
    @Test
    void theFirstElementWhoseMethodIsThereCounts() {
        for (String address :
                new String[] {
                    "ib://h:1,test://there",
                    "absent://h,test://there",
                    "ib://h:1, test://there,local://other",
                    "test://there,ib://h:1"
                }) {
            PeerAddress found = bmi.lookup(address);
            assertThat(found.scheme()).as(address).isEqualTo("test");
            assertThat(bmi.reverseLookup(found)).contains(address);
            assertThat(bmi.reverseLookupUnexpected(found)).contains("there");
            assertThat(bmi.lookup(address)).isSameAs(found);
        }
    }

    @Test
    void whereNoneIsThereTheFirstSaysWhy() {
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup("ib://h:1,gm://h:2"));
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup("absent://h,ib://h:1"));
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup("no scheme,test://there"));
        assertCode(ErrorCode.ENOPROTOOPT, () -> bmi.lookup(""));
    }

    @Test
    void aMethodIsGivenItsOwnElementsAsTheyStand() {
        AddressList list = AddressList.of("ib://h:1,tcp://a:1,b,tcp-z://c:2");
        assertThat(list.schemes()).containsExactly("ib", "tcp", "tcp");
        assertThat(list.ofScheme("tcp")).isEqualTo("tcp://a:1,b,tcp-z://c:2");
        assertThat(AddressList.of("tcp://a:1,tcp://b:1").ofScheme("tcp"))
                .isEqualTo("tcp://a:1,tcp://b:1");
    }
}
