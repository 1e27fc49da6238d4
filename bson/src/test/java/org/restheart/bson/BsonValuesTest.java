package org.restheart.bson;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BsonValuesTest {
    @ParameterizedTest
    @ValueSource(longs = {Integer.MIN_VALUE, -1, Integer.MAX_VALUE})
    void numbers_that_fit_have_32_bits(long number) {
        assertThat(BsonValues.number(number)).isEqualTo(new BsonInt32((int) number));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, Integer.MIN_VALUE - 1L, Integer.MAX_VALUE + 1L})
    void others_have_64(long number) {
        assertThat(BsonValues.number(number)).isEqualTo(new BsonInt64(number));
    }
}
