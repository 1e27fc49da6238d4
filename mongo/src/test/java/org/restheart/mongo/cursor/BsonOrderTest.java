package org.restheart.mongo.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.cursor.Bookmarks.BsonOrder;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class BsonOrderTest {
    private static final String VALUES =
            "[{$minKey: 1}, null, {$numberDouble: 'NaN'}, {$numberDouble: '-Infinity'}, -3,"
                    + " {$numberLong: '-2'}, -1.5, {$numberDouble: '0.0'}, 7, {$numberLong: '9007199254740993'},"
                    + " {$numberDouble: '9007199254740994'}, {$numberDouble: 'Infinity'}, '', 'A', 'a', 'ab', 'é', '\\uffff', '😀',"
                    + " {}, {a: 'x'}, {a: {b: 1}}, {b: 1}, {a: 1}, {a: 1, b: 0}, {a: true},"
                    + " {$binary: {base64: '', subType: '00'}}, {$binary: {base64: 'AA==', subType: '05'}},"
                    + " {$binary: {base64: '/w==', subType: '00'}}, {$binary: {base64: 'AAE=', subType: '00'}},"
                    + " {$oid: '00f0c0ffee00000000000001'}, {$oid: 'f5f0c0ffee00000000000001'}, false, true,"
                    + " {$date: {$numberLong: '-5'}}, {$date: {$numberLong: '5'}}, {$maxKey: 1}]";

    @Test
    void values_are_in_the_order_that_mongodb_gives_them(TestMongo mongo) {
        var values = new ArrayList<>(BsonDocument.parse("{v: " + VALUES + "}").getArray("v"));
        Collections.shuffle(values, new Random(1));
        var collection = mongo.database().getCollection("order", BsonDocument.class);
        collection.insertMany(
                values.stream().map(value -> new BsonDocument("_id", value)).toList());
        var expected = new ArrayList<BsonValue>();
        collection.find().sort(BsonDocument.parse("{_id: 1}")).forEach(each -> expected.add(each.get("_id")));
        values.sort(BsonOrder::compare);
        assertThat((List<BsonValue>) values).isEqualTo(expected);
        assertThat(values).allMatch(BsonOrder::knows);
    }
}
