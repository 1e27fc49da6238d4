package org.restheart.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentCodingTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    gzip                     | GZIP
                    deflate, gzip;q=0.1      | GZIP
                    GZIP ; q=1               | GZIP
                    x-gzip                   | GZIP
                    deflate                  | DEFLATE
                    gzip;q=0, deflate        | DEFLATE
                    gzip; q=0.000, deflate;q=0 | IDENTITY
                    br, zstd                 | IDENTITY
                    identity                 | IDENTITY
                    gzipped                  | IDENTITY
                    """)
    void the_best_coding_that_is_accepted_is_chosen(String accepted, ContentCoding expected) {
        assertThat(ContentCoding.accepted(Fields.of("Accept-Encoding", accepted)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"br,gzip,GZIP", "deflate,br,DEFLATE"})
    void several_lines_count_as_one(String first, String second, ContentCoding expected) {
        assertThat(ContentCoding.accepted(Fields.of("Accept-Encoding", first, "Accept-Encoding", second)))
                .isEqualTo(expected);
    }
}
