package org.restheart.bson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RawDocumentsTest {
    private static final BsonObjectId ID = new BsonObjectId();

    @Test
    void finds_every_field_and_no_other() {
        for (var document : RandomBson.documents(500)) {
            var raw = Driver.raw(document);
            document.forEach((name, value) -> {
                var found = RawDocuments.get(raw, name).orElseThrow();
                assertThat(Driver.bytes(found)).isEqualTo(Driver.bytes(value));
                assertThat(RawDocuments.get(raw, name + "x").isPresent()).isEqualTo(document.containsKey(name + "x"));
            });
            assertThat(RawDocuments.get(raw, "no such name")).isEmpty();
        }
    }

    @Test
    void looks_at_the_top_level_only() {
        var raw = JsonParser.parseDocument("{\"a\": {\"b\": 1}, \"c\": [{\"b\": 1}]}".getBytes(UTF_8));
        assertThat(RawDocuments.get(raw, "b")).isEmpty();
    }

    @Test
    void nested_documents_stay_bytes() {
        var raw = JsonParser.parseDocument("{\"x\": 1, \"a\": {\"b\": 1}}".getBytes(UTF_8));
        assertThat(RawDocuments.get(raw, "a"))
                .containsInstanceOf(RawBsonDocument.class)
                .contains(new BsonDocument("b", new BsonInt32(1)));
    }

    @Test
    void the_values_of_a_tree_are_counted_before_there_is_one() {
        var json = "{\"a\": [{}, {\"b\": [1, \",{[\"]}], \"c\": {\"d\": null}}".getBytes(UTF_8);
        var raw = JsonParser.parseDocument(json);
        assertThat(RawDocuments.values(raw)).isEqualTo(8);
        assertThat(RawDocuments.values(new BsonDocument("x", raw))).isEqualTo(8);
        assertThat(RawDocuments.values(JsonParser.parse("[{}, [0]]".getBytes(UTF_8))))
                .isEqualTo(3);
        assertThat(RawDocuments.values(RawDocuments.toTree(raw))).isZero();
        assertThat(JsonWeight.values(json)).isEqualTo(9);
    }

    @Test
    void puts_as_a_map_would() {
        for (var document : RandomBson.documents(500)) {
            var names = new ArrayList<>(document.keySet());
            names.addAll(List.of("_id", "_etag", "é"));
            for (var name : names) {
                for (BsonValue value : List.of(ID, new BsonString("é"), document, BsonNull.VALUE, new BsonInt32(1))) {
                    var expected = document.clone().append(name, value);
                    assertThat(RawDocuments.edit(Driver.raw(document))
                                    .put(name, value)
                                    .toDocument()
                                    .getByteBuffer()
                                    .asNIO())
                            .isEqualTo(Driver.raw(expected).getByteBuffer().asNIO());
                }
            }
        }
    }

    @Test
    void an_insert_gets_its_id_first_and_its_etag_where_it_stood() {
        assertThat(inserted("{}")).isEqualTo("{\"_id\": 1, \"_etag\": \"e\"}");
        assertThat(inserted("{\"a\": 1}")).isEqualTo("{\"_id\": 1, \"a\": 1, \"_etag\": \"e\"}");
        assertThat(inserted("{\"_etag\": {\"x\": 1}, \"a\": 1, \"_id\": 2}"))
                .isEqualTo("{\"_id\": 1, \"_etag\": \"e\", \"a\": 1}");
    }

    private static String inserted(String json) {
        return JsonEncoder.of(JsonMode.DEFAULT)
                .encodeToString(RawDocuments.edit(JsonParser.parseDocument(json.getBytes(UTF_8)))
                        .putFirst("_id", new BsonInt32(1))
                        .put("_etag", new BsonString("e"))
                        .toDocument());
    }

    @Test
    void removes_and_leaves_the_original_alone() {
        var original = JsonParser.parseDocument("{\"a\": 1, \"b\": [2], \"c\": 3}".getBytes(UTF_8));
        var encoder = JsonEncoder.of(JsonMode.DEFAULT);
        assertThat(encoder.encodeToString(RawDocuments.edit(original)
                        .remove("b")
                        .remove("x")
                        .put("c", new BsonInt32(4))
                        .toDocument()))
                .isEqualTo("{\"a\": 1, \"c\": 4}");
        assertThat(encoder.encodeToString(original)).isEqualTo("{\"a\": 1, \"b\": [2], \"c\": 3}");
    }

    @Test
    void of_several_changes_of_a_field_the_last_counts() {
        var original = JsonParser.parseDocument("{\"a\": 1}".getBytes(UTF_8));
        assertThat(RawDocuments.edit(original)
                        .put("a", new BsonInt32(2))
                        .put("b", new BsonInt32(3))
                        .remove("a")
                        .put("b", new BsonInt32(4))
                        .toDocument())
                .isEqualTo(new BsonDocument("b", new BsonInt32(4)));
    }

    @Test
    void a_slice_of_a_larger_array_is_read_from_its_offset() {
        var outer = JsonParser.parseDocument("{\"x\": 1, \"a\": {\"b\": {\"c\": 2}}}".getBytes(UTF_8));
        var inner = (RawBsonDocument) RawDocuments.get(outer, "a").orElseThrow();
        assertThat(RawDocuments.edit(inner).put("d", ID).toDocument())
                .isEqualTo(new BsonDocument("b", new BsonDocument("c", new BsonInt32(2))).append("d", ID));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | true",
                "{\"a\": \"four\", \"b\": [1, 2], \"c\": {\"d\": {}}, \"e\": 1.5} | true",
                "{\"a\": \"fives\"} | false",
                "{\"a\": {\"b\": \"fives\"}} | false",
                "{\"a\": [1, 2, 3]} | false",
                "{\"a\": [[], [1, 2, 3]]} | false",
                "{\"a\": {\"b\": {\"c\": {}}}} | false",
                "{\"a\": {\"$binary\": {\"base64\": \"AAAA\", \"subType\": \"00\"}}} | true",
                "{\"a\": {\"$binary\": {\"base64\": \"AAAAAA==\", \"subType\": \"00\"}}} | false",
            })
    void limits_hold_at_every_depth(String json, boolean within) {
        var document = JsonParser.parseDocument(json.getBytes(UTF_8));
        assertThat(RawDocuments.isWithin(document, new RawDocuments.Limits(4, 2, 3, 3)))
                .isEqualTo(within);
    }

    @Test
    void bytes_that_are_not_bson_are_refused() {
        var bytes = Driver.raw(new BsonDocument("a", new BsonString("text"))).getBackingArray();
        bytes[7] = 100;
        var broken = new RawBsonDocument(bytes, 0, 17);
        assertThatThrownBy(() -> RawDocuments.get(broken, "b")).isInstanceOf(BsonSerializationException.class);
        assertThatThrownBy(() -> RawDocuments.edit(broken).put("b", ID).toDocument())
                .isInstanceOf(BsonSerializationException.class);
    }

    @Test
    void a_tree_can_be_changed_at_every_depth() {
        var tree = RawDocuments.toTree(JsonParser.parseDocument("{\"a\": [{\"b\": {}}]}".getBytes(UTF_8)));
        tree.getArray("a").get(0).asDocument().getDocument("b").append("c", BsonNull.VALUE);
        tree.append("d", BsonNull.VALUE);
        assertThat(tree.toJson()).isEqualTo("{\"a\": [{\"b\": {\"c\": null}}], \"d\": null}");
    }
}
