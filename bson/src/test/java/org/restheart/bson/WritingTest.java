package org.restheart.bson;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/// Numbers, dates and bytes, each against the JDK.
class WritingTest {
    private final RandomGenerator random =
            RandomGeneratorFactory.of("L64X128MixRandom").create(7);

    @Test
    void integers_of_every_length() {
        var out = new Utf8Buffer(16);
        for (long power = 1; power > 0 && power < Long.MAX_VALUE / 10; power *= 10) {
            for (long number : new long[] {power, power - 1, power + 1, -power, 1 - power, -power - 1}) {
                assertDecimal(number, out);
            }
        }
        for (int i = 0; i < 10_000; i++) {
            assertDecimal(random.nextLong() >> random.nextInt(64), out);
        }
        assertDecimal(Long.MIN_VALUE, out);
        assertDecimal(Long.MAX_VALUE, out);
    }

    private static void assertDecimal(long number, Utf8Buffer out) {
        out.clear();
        out.decimal(number);
        assertThat(out.toString()).isEqualTo(Long.toString(number));
    }

    @Test
    void dates_of_our_era() {
        var out = new Utf8Buffer();
        var withMillis =
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
        for (int i = 0; i < 20_000; i++) {
            long millis = random.nextLong(-12_219_292_800_000L, 253_402_300_800_000L);
            out.clear();
            Dates.writeWithMillis(millis, out);
            assertThat(out.toString()).isEqualTo(withMillis.format(Instant.ofEpochMilli(millis)));
            assertThat(Dates.parse(out.bytes, 0, out.length)).isEqualTo(millis);
            if (millis >= 0) {
                out.clear();
                Dates.writeShortest(millis, out);
                assertThat(out.toString())
                        .isEqualTo(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
                                Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC)));
                assertThat(Dates.parse(out.bytes, 0, out.length)).isEqualTo(millis);
            }
        }
    }

    @Test
    void base64_of_every_length() {
        for (int length = 0; length < 30_000; length = length * 3 / 2 + 1) {
            var bytes = new byte[length];
            random.nextBytes(bytes);
            var out = new Utf8Buffer();
            out.base64(bytes, 0, length);
            assertThat(out.toString()).isEqualTo(Base64.getEncoder().encodeToString(bytes));
        }
    }

    @Test
    void plain_runs_end_where_a_single_byte_says_so() {
        for (int i = 0; i < 20_000; i++) {
            var bytes = new byte[random.nextInt(40)];
            Arrays.fill(bytes, (byte) 'a');
            for (int j = random.nextInt(3); j > 0 && bytes.length > 0; j--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            int from = random.nextInt(bytes.length + 1);
            int expected = from;
            while (expected < bytes.length && isPlain(bytes[expected])) {
                expected++;
            }
            assertThat(Utf8.plainEnd(bytes, from, bytes.length)).isEqualTo(expected);
        }
    }

    private static boolean isPlain(byte b) {
        return b >= ' ' && b != 0x7f && b != '"' && b != '\\';
    }

    @Test
    void code_points_are_those_that_java_decodes() {
        for (int i = 0; i < 300_000; i++) {
            var bytes = new byte[4];
            random.nextBytes(bytes);
            bytes[0] |= (byte) 0xc0;
            for (int j = 1; j < 4; j++) {
                bytes[j] = random.nextInt(8) == 0 ? bytes[j] : (byte) (bytes[j] & 0x3f | 0x80);
            }
            int codePoint = Utf8.codePoint(bytes, 0, 4);
            var expected = firstCodePoint(bytes);
            assertThat(codePoint).isEqualTo(expected.orElse(-1));
            if (codePoint >= 0) {
                int size = Character.toString(codePoint).getBytes(UTF_8).length;
                assertThat(Utf8.size(codePoint)).isEqualTo(size);
                assertThat(Utf8.codePoint(bytes, 0, size - 1)).as("cut off").isEqualTo(-1);
            }
        }
    }

    @Test
    void every_character_that_may_be_escaped() {
        for (int c = 0; c <= 0x10ffff; c++) {
            if (c < 0xd800 || c > 0xdfff) {
                var out = new Utf8Buffer(16);
                Utf8.write(c, out);
                assertThat(out.toByteArray()).isEqualTo(Character.toString(c).getBytes(UTF_8));
            }
        }
    }

    private static Optional<Integer> firstCodePoint(byte[] bytes) {
        int c = new String(bytes, UTF_8).codePointAt(0);
        boolean replaced = c == 0xfffd && !new String(bytes, ISO_8859_1).startsWith("ï¿½");
        return replaced ? Optional.empty() : Optional.of(c);
    }
}
