package org.jbmi.zoidfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Which tag a call gets. */
class TagSpaceTest {
    @Test
    void noTwoCallsUnderWayHaveOneTag() throws ZoidfsException {
        TagSpace tags = new TagSpace(4);
        assertThat(tags.take()).isEqualTo(2);
        assertThat(tags.take()).isEqualTo(3);
        assertThat(tags.take()).isEqualTo(4);
        assertThatThrownBy(tags::take)
                .isInstanceOf(ZoidfsException.class)
                .hasMessageContaining("3 calls are under way");
        tags.give(3);
        assertThat(tags.take()).isEqualTo(3);
    }

    @Test
    void tagsOfCallsThatFailedComeLastAndTheOldestFirst() throws ZoidfsException {
        TagSpace tags = new TagSpace(5);
        tags.giveDoubtful(tags.take());
        tags.giveDoubtful(tags.take());
        assertThat(tags.take()).isEqualTo(4);
        tags.give(4);
        assertThat(tags.take()).isEqualTo(4);
        assertThat(tags.take()).isEqualTo(5);
        assertThat(tags.take()).isEqualTo(2);
        assertThat(tags.take()).isEqualTo(3);
    }
}
