package org.jbmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The numbers of the error codes, against a table written down number by number. */
@Timeout(30)
class ErrorCodeTest {
    private static final String TABLE =
            """
            EPERM 1073741953, ENOENT 1073741954, EINTR 1073741955, EIO 1073741956,
            ENXIO 1073741957, EBADF 1073741958, EAGAIN 1073741959, ENOMEM 1073741960,
            EFAULT 1073741961, EBUSY 1073741962, EEXIST 1073741963, ENODEV 1073741964,
            ENOTDIR 1073741965, EISDIR 1073741966, EINVAL 1073741967, EMFILE 1073741968,
            EFBIG 1073741969, ENOSPC 1073741970, EROFS 1073741971, EMLINK 1073741972,
            EPIPE 1073741973, EDEADLK 1073741974, ENAMETOOLONG 1073741975, ENOLCK 1073741976,
            ENOSYS 1073741977, ENOTEMPTY 1073741978, ELOOP 1073741979, EWOULDBLOCK 1073741980,
            ENOMSG 1073741981, EUNATCH 1073741982, EBADR 1073741983, EDEADLOCK 1073741984,
            ENODATA 1073741985, ETIME 1073741986, ENONET 1073741987, EREMOTE 1073741988,
            ECOMM 1073741989, EPROTO 1073741990, EBADMSG 1073741991, EOVERFLOW 1073741992,
            ERESTART 1073741993, EMSGSIZE 1073741994, EPROTOTYPE 1073741995,
            ENOPROTOOPT 1073741996, EPROTONOSUPPORT 1073741997, EOPNOTSUPP 1073741998,
            EADDRINUSE 1073741999, EADDRNOTAVAIL 1073742000, ENETDOWN 1073742001,
            ENETUNREACH 1073742002, ENETRESET 1073742003, ENOBUFS 1073742004,
            ETIMEDOUT 1073742005, ECONNREFUSED 1073742006, EHOSTDOWN 1073742007,
            EHOSTUNREACH 1073742008, EALREADY 1073742009, EACCES 1073742010,
            ECONNRESET 1073742011, ECANCEL 1610612865, EDEVINIT 1610612866, EDETAIL 1610612867,
            EHOSTNTFD 1610612868, EADDRNTFD 1610612869, ENORECVR 1610612870, ETRYAGAIN 1610612871
            """;

    private static Map<String, Integer> table() {
        Map<String, Integer> table = new LinkedHashMap<>();
        for (String row : TABLE.split(",")) {
            String[] words = row.strip().split(" ");
            table.put(words[0], Integer.parseInt(words[1]));
        }
        return table;
    }

    @Test
    void numbersAreThoseOfTheCLibrary() {
        Map<String, Integer> table = table();
        assertThat(table).hasSize(66);
        assertThat(ErrorCode.SUCCESS.value()).isZero();
        assertThat(ErrorCode.SUCCESS.isSuccess()).isTrue();
        assertThat(failures()).hasSize(66);
        for (ErrorCode code : failures()) {
            assertThat(code.isSuccess()).isFalse();
            assertThat(code.value()).as(code.name()).isEqualTo(table.get(code.name()));
            assertThat(code.negativeValue()).isEqualTo(-table.get(code.name()));
        }
        assertThat(ErrorCode.EBUSY.value()).isEqualTo(0x4000008a);
        assertThat(ErrorCode.ECANCEL.value()).isEqualTo(0x60000081);
    }

    private static List<ErrorCode> failures() {
        return List.of(ErrorCode.values()).subList(1, ErrorCode.values().length);
    }

    @Test
    void outcomesAreFoundByTheirNumber() {
        assertThat(ErrorCode.ofOutcome(0)).isEqualTo(ErrorCode.SUCCESS);
        assertThat(ErrorCode.ofOutcome(-17)).isEqualTo(ErrorCode.EIO);
        for (ErrorCode code : failures()) {
            assertThat(ErrorCode.ofOutcome(code.negativeValue())).isSameAs(code);
            assertThat(ErrorCode.ofOutcome(code.value())).isSameAs(code);
        }
    }

    /** The numbers of Linux that the C library translates, and their codes. */
    @Test
    void errnosAreTranslatedBothWays() {
        Map<ErrorCode, Integer> untranslated =
                Map.of(
                        ErrorCode.EWOULDBLOCK, 11,
                        ErrorCode.EUNATCH, 49,
                        ErrorCode.EBADR, 53,
                        ErrorCode.EDEADLOCK, 35,
                        ErrorCode.ENONET, 64,
                        ErrorCode.ECOMM, 70,
                        ErrorCode.ERESTART, 85);
        int translated = 0;
        for (ErrorCode code : failures()) {
            int errno = code.errno();
            if (untranslated.containsKey(code)) {
                assertThat(errno).as(code.name()).isEqualTo(untranslated.get(code));
                assertThat(ErrorCode.ofErrno(errno)).isNotEqualTo(code);
            } else if (errno == 0) {
                assertThat(code.value() & 0x2000_0000).as(code.name()).isNotZero();
            } else {
                assertThat(ErrorCode.ofErrno(errno)).isSameAs(code);
                assertThat(ErrorCode.ofErrno(-errno)).isSameAs(code);
                translated++;
            }
        }
        assertThat(translated).isEqualTo(59 - untranslated.size());
        int[] numbers = {1, 13, 16, 22, 28, 32, 95, 104, 110, 111, 112};
        ErrorCode[] codes = {
            ErrorCode.EPERM,
            ErrorCode.EACCES,
            ErrorCode.EBUSY,
            ErrorCode.EINVAL,
            ErrorCode.ENOSPC,
            ErrorCode.EPIPE,
            ErrorCode.EOPNOTSUPP,
            ErrorCode.ECONNRESET,
            ErrorCode.ETIMEDOUT,
            ErrorCode.ECONNREFUSED,
            ErrorCode.EHOSTDOWN
        };
        for (int i = 0; i < numbers.length; i++) {
            assertThat(ErrorCode.ofErrno(numbers[i])).isSameAs(codes[i]);
        }
        for (int other : new int[] {0, 7, 23, 97, 103, 106, 107, 115, 125, Integer.MIN_VALUE}) {
            assertThat(ErrorCode.ofErrno(other)).as("errno " + other).isNull();
        }
        assertThat(ErrorCode.SUCCESS.errno()).isZero();
    }

    @Test
    void codesAreFoundByEitherSign() {
        for (ErrorCode code : failures()) {
            assertThat(ErrorCode.of(code.value())).isSameAs(code);
            assertThat(ErrorCode.of(code.negativeValue())).isSameAs(code);
            assertThat(ErrorCode.statusString(code.value())).isEqualTo("BMI_" + code.name());
            assertThat(ErrorCode.statusString(code.negativeValue()))
                    .isEqualTo("BMI_" + code.name());
        }
        long[] others = {
            0,
            1,
            -1,
            107,
            0x40000080L,
            0x400000bcL,
            0x60000080L,
            0x60000088L,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            0x1_4000_0081L
        };
        for (long other : others) {
            assertThat(ErrorCode.of(other)).isNull();
        }
        assertThat(ErrorCode.statusString(0)).isEqualTo("BMI_SUCCESS");
        assertThat(ErrorCode.statusString(107)).isEqualTo("(UNKNOWN)");
    }

    @Test
    void postResultsAreOfThreeKinds() {
        long[] completed = {0, 1, 1L << 40, PostResult.PENDING_BIT - 1};
        for (long result : completed) {
            assertThat(PostResult.isCompleted(result)).isTrue();
            assertThat(PostResult.isPending(result) || PostResult.isRefused(result)).isFalse();
        }
        long[] pending = {PostResult.PENDING_BIT, PostResult.PENDING_BIT + 1, Long.MAX_VALUE};
        for (long result : pending) {
            assertThat(PostResult.isPending(result)).isTrue();
            assertThat(PostResult.isCompleted(result) || PostResult.isRefused(result)).isFalse();
        }
        for (ErrorCode code : failures()) {
            long result = code.negativeValue();
            assertThat(PostResult.isRefused(result)).isTrue();
            assertThat(PostResult.isCompleted(result) || PostResult.isPending(result)).isFalse();
            assertThat(PostResult.refusal(result)).isSameAs(code);
        }
        for (long result : new long[] {0, 5, PostResult.PENDING_BIT, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> PostResult.refusal(result))
                    .isInstanceOfSatisfying(
                            BmiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL));
        }
    }
}
