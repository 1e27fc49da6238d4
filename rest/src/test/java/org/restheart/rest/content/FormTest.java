package org.restheart.rest.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.bson.JsonParser;
import org.restheart.http.Body;
import org.restheart.http.ProblemException;

class FormTest {
    private static BsonDocument urlEncoded(String body) {
        return Form.urlEncoded(Body.of(body.getBytes(StandardCharsets.UTF_8)));
    }

    private static BsonDocument multipart(String body) {
        return Form.multipart(
                "multipart/form-data; boundary=XX",
                Body.of(body.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1                 | 1",
                "1.5               | 1.5",
                "true              | true",
                "null              | null",
                "%221%22           | '1'",
                "{x:1}             | {x: 1}",
                "[1,2]             | [1, 2]",
                "{%22$oid%22:%225f0c0ffee000000000000abc%22} | {$oid: '5f0c0ffee000000000000abc'}",
                "plain             | 'plain'",
                "two+words         | 'two words'",
                "10+Downing+Street | '10 Downing Street'",
                "1}                | '1}'",
                "1]                | '1]'",
                "1,2               | '1,2'",
                "1,%22w%22:2       | '1,\"w\":2'",
                "caf%C3%A9         | 'caf\u00e9'",
                "``                | ''",
            })
    void values_that_are_json_mean_json_and_others_are_text(String sent, String meant) {
        assertThat(urlEncoded("f=" + sent))
                .isEqualTo(new BsonDocument(
                        "f", JsonParser.parse("[" + meant + "]").asArray().getFirst()));
    }

    @Test
    void the_first_value_of_a_repeated_field_counts() {
        assertThat(urlEncoded("a=1&a=2&b")).isEqualTo(JsonParser.parse("{a: 1, b: ''}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"f={x", "f=[1", "f={x:1}}", "f={x:1},{x:2}", "f={x:1}{x:2}", "f=[1]null"})
    void broken_objects_and_arrays_are_refused(String body) {
        assertThatThrownBy(() -> urlEncoded(body))
                .isInstanceOf(ProblemException.class)
                .hasMessageStartingWith("Invalid JSON. ");
    }

    @Test
    void parts_are_fields_and_files_are_left_out() {
        var form = multipart("""
                preamble
                --XX
                Content-Disposition: form-data; name="a"

                1
                --XX
                Content-Disposition: form-data; name="f"; filename="x.txt"
                Content-Type: text/plain

                content
                --XX
                content-disposition: form-data; name=text

                two
                lines
                --XX
                Content-Disposition: form-data; name="a"

                2
                --XX
                Content-Disposition: form-data; name="with \\"quotes\\""


                --XX--
                epilogue
                """);
        assertThat(form).isEqualTo(JsonParser.parse("{a: 1, text: 'two\\r\\nlines', 'with \"quotes\"': ''}"));
    }

    @Test
    void no_parts_are_an_empty_document() {
        assertThat(multipart("--XX--\n")).isEmpty();
        assertThat(multipart("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--XX",
                "--XX\n",
                "--XX\nContent-Disposition: form-data; name=a",
                "--XX\nContent-Disposition: form-data; name=a\n\nv",
                "--XXother\nContent-Disposition: form-data; name=a\n\nv\n--XX--",
                "nothing of the kind",
                "--XX\nContent-Disposition: form-data; name=a\n\n--XX\nContent-Disposition: form-data; name=b\n\nv\n--XX--",
            })
    void broken_multipart_is_refused(String body) {
        assertThatThrownBy(() -> multipart(body)).isInstanceOf(ProblemException.class);
    }

    @Test
    void multipart_needs_a_boundary() {
        assertThatThrownBy(() -> Form.multipart("multipart/form-data", Body.of(new byte[] {1})))
                .isInstanceOf(ProblemException.class);
    }
}
