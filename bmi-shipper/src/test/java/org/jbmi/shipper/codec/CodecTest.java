package org.jbmi.shipper.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

class CodecTest {

    private static final BulkHandle HANDLE =
            new BulkHandle(
                    new BulkHandle.Token(1, 2), new BulkHandle.Token(3, 4), 5, 6, Permission.READ);

    @Test
    void theSignatureSpellsNamesAndShapes() {
        assertThat(Codec.of(Everything.class).signature())
                .isEqualTo(
                        "{count:i32,offset:i64,port:i16,flags:i8,ratio:f32,exact:f64,sync:bool,"
                                + "name:str,body:bytes,mode:enum(READ|WRITE),sizes:[i64],"
                                + "words:[[str]],inner:{value:i32,in:str}?,"
                                + "always:{value:i32,in:str},data:bulk}");
    }

    @Test
    void theBytesAreLittleEndianInTheOrderOfTheComponents() {
        byte[] bytes =
                encode(Codec.of(Everything.Inner.class), new Everything.Inner(0x01020304, "é"));
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("04030201" + "02000000" + "c3a9");
    }

    @Test
    void everyTypeComesBack() {
        byte[] bytes = encode(Codec.of(Everything.class), sample());
        Everything back = decode(Codec.of(Everything.class), bytes);
        assertThat(RandomTypes.isEqual(sample(), back)).isTrue();
    }

    @Test
    void aRecordWithoutComponentsTakesNothing() {
        assertThat(encode(Codec.of(Everything.Nothing.class), new Everything.Nothing())).isEmpty();
    }

    @Test
    void aNullComponentIsNamed() {
        assertThatThrownBy(
                        () ->
                                encode(
                                        Codec.of(Everything.Inner.class),
                                        new Everything.Inner(1, null)))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("component in of Inner");
    }

    @Test
    void aNullElementIsNamed() {
        List<String> names = Arrays.asList("a", null);
        List<List<Long>> sizes = List.of(Arrays.asList(1L, null));
        assertThatThrownBy(
                        () ->
                                encode(
                                        Codec.of(Everything.Many.class),
                                        new Everything.Many(names, List.of())))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("element of component names of Many");
        assertThatThrownBy(
                        () ->
                                encode(
                                        Codec.of(Everything.Many.class),
                                        new Everything.Many(List.of(), sizes)))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("element of component sizes of Many");
    }

    @Test
    void halfASurrogatePairIsRefused() {
        assertThatThrownBy(
                        () ->
                                encode(
                                        Codec.of(Everything.Inner.class),
                                        new Everything.Inner(1, "a\ud800")))
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL))
                .hasMessageContaining("character 1");
    }

    @Test
    void theLimitOfAnEncoderHolds() {
        Encoder out = new Encoder(9);
        out.putLong(1);
        out.putByte((byte) 1);
        assertThatThrownBy(() -> out.putByte((byte) 1))
                .isInstanceOfSatisfying(
                        BmiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.EMSGSIZE));
        assertThat(out.size()).isEqualTo(9);
    }

    @Test
    void aRecordWithoutACodecIsRefusedInWords() {
        record Unmarked(int value) {}
        assertThatThrownBy(() -> Codec.of(Unmarked.class))
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ENOSYS))
                .hasMessageContaining("@Shipped");
    }

    @Test
    void aHandleIsSerializedAndHidesItsKey() {
        assertThat(HANDLE.serialize()).hasSize(BulkHandle.BYTES);
        assertThat(BulkHandle.deserialize(HANDLE.serialize())).isEqualTo(HANDLE);
        assertThat(HANDLE.toString()).isEqualTo("BulkHandle[5, 6 bytes, READ]");
        assertThat(new BulkHandle.Token(0x1234567890abcdefL, 7).toString())
                .isEqualTo("Token[1234...]");
    }

    @Test
    void malformedBytesAreRefused() {
        refused(Everything.Inner.class, "0403020102000000c3", "2 elements are announced");
        refused(Everything.Inner.class, "0403020102000000c3ff", "not in UTF-8");
        refused(Everything.Inner.class, "0403020100000000aa", "1 bytes follow");
        refused(Everything.Inner.class, "040302", "4 bytes are needed, but 3 are left");
        refused(Everything.Inner.class, "04030201ffffffff", "4294967295 elements");
        assertThatThrownBy(() -> with(in -> in.getBoolean(), "02")).hasMessageContaining("0 or 1");
        assertThatThrownBy(() -> with(in -> in.getChoice(2), "0200"))
                .hasMessageContaining("Constant 2");
        byte[] handle = HANDLE.serialize();
        handle[48] = 4;
        assertThatThrownBy(() -> BulkHandle.deserialize(handle))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("permission 4");
    }

    @Test
    void aReplacementCharacterThatWasSentIsText() {
        Everything.Inner value = new Everything.Inner(1, "\uFFFD");
        byte[] bytes = encode(Codec.of(Everything.Inner.class), value);
        assertThat(decode(Codec.of(Everything.Inner.class), bytes)).isEqualTo(value);
    }

    private static Everything sample() {
        return new Everything(
                -1,
                Long.MIN_VALUE,
                (short) -2,
                (byte) 200,
                Float.NaN,
                -0.0,
                true,
                "Grüße 😀",
                new byte[] {1, 2, 3},
                Everything.Mode.WRITE,
                List.of(1L, -1L),
                List.of(List.of("a", ""), List.of()),
                Optional.of(new Everything.Inner(3, "x")),
                new Everything.Inner(4, ""),
                HANDLE);
    }

    private static void refused(Class<?> record, String hex, String words) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> decode(Codec.of(record), bytes))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(words);
    }

    private static void with(Consumer<Decoder> reading, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        Decoder in = new Decoder();
        in.reset(bytes, 0, bytes.length);
        reading.accept(in);
    }

    static <T> byte[] encode(Codec<T> codec, T value) {
        Encoder out = new Encoder(1 << 20);
        codec.encode(value, out);
        return out.toByteArray();
    }

    static <T> T decode(Codec<T> codec, byte[] bytes) {
        Decoder in = new Decoder();
        in.reset(bytes, 0, bytes.length);
        T value = codec.decode(in);
        in.end();
        return value;
    }
}
