package org.restheart.bench;

import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.DocumentCodec;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/// The documents that benches read and write.
public enum Samples {
    /// What inserts send: a number, a group, a text.
    SMALL {
        @Override
        Document content() {
            return new Document("_id", ID)
                    .append("n", 12_345)
                    .append("group", "g45")
                    .append("text", "the quick brown fox jumps over the lazy dog ".repeat(3))
                    .append("_etag", ID);
        }
    },
    /// An order: types of all sorts, nested documents and arrays.
    ORDER {
        @Override
        Document content() {
            var items = IntStream.range(0, 8)
                    .mapToObj(i -> new Document("sku", "SKU-" + i)
                            .append("quantity", i + 1)
                            .append("price", Decimal128.parse("19." + (10 + i)))
                            .append("taxed", i % 2 == 0))
                    .toList();
            return new Document("_id", ID)
                    .append("customer", new Document("name", "Zoë \"Zed\" Müller").append("id", 9_007_199_254_740_993L))
                    .append("placed", new Date(1_700_000_000_123L))
                    .append("items", items)
                    .append("total", 1234.5)
                    .append("tags", List.of("gift", "express", "naïve"))
                    .append("note", null)
                    .append("_etag", ID);
        }
    },
    /// Two hundred numbers.
    NUMBERS {
        @Override
        Document content() {
            return new Document("_id", ID)
                    .append(
                            "doubles",
                            IntStream.range(0, 100).mapToObj(i -> i * 1.1).toList())
                    .append(
                            "ints",
                            Arrays.asList(IntStream.range(0, 100)
                                    .map(i -> i * 7919)
                                    .boxed()
                                    .toArray()));
        }
    };

    private static final ObjectId ID = new ObjectId("650000000000000000000001");

    abstract Document content();

    RawBsonDocument bson() {
        return new RawBsonDocument(content(), new DocumentCodec());
    }
}
