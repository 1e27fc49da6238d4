package org.restheart.bson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class TreeSizesTest {
    private static final int VALUES = 10_000;

    @Test
    void an_estimate_is_the_same_before_and_after_there_is_a_tree() {
        var json =
                "{\"a\": [{}, {\"b\": [1, \",{[\"]}], \"c\": {\"d\": null, \"e\": {\"$oid\": \"000000000000000000000000\"}}}";
        var raw = JsonParser.parseDocument(json.getBytes(UTF_8));
        assertThat(TreeSizes.of(raw))
                .isEqualTo(TreeSizes.of(RawDocuments.toTree(raw)))
                .isGreaterThan(1_000);
        assertThat(TreeSizes.of(new BsonArray(List.of(raw)))).isGreaterThan(TreeSizes.of(raw));
    }

    /// Bytes of each, as measured with and without compact headers of objects: 5 of null, 16 to 29 of a number,
    /// 61 to 69 of a short text, 77 to 85 of an empty document, 205 to 221 of one with a number.
    @Test
    void values_count_by_their_type() {
        assertThat(each(BsonNull.VALUE)).isBetween(4L, 16L);
        assertThat(each(new BsonInt32(1))).isBetween(24L, 40L);
        assertThat(each(new BsonString("abc"))).isBetween(56L, 90L);
        assertThat(each(new BsonDocument())).isBetween(88L, 200L);
        assertThat(each(new BsonDocument("a", new BsonInt32(1)))).isBetween(200L, 300L);
    }

    @Test
    void the_scope_of_code_counts_as_the_document_that_it_is() {
        var scope = new BsonDocument("a", new BsonArray(Collections.nCopies(VALUES, new BsonDocument())));
        var document = new BsonDocument("code", new BsonJavaScriptWithScope("x", scope));
        assertThat(TreeSizes.of(document)).isGreaterThan(TreeSizes.of(scope));
        assertThat(TreeSizes.of(RawDocuments.encode(document))).isEqualTo(TreeSizes.of(document));
    }

    private static long each(BsonValue value) {
        var array = new BsonDocument("a", new BsonArray(Collections.nCopies(VALUES, value)));
        return TreeSizes.of(RawDocuments.encode(array)) / VALUES;
    }
}
