package org.restheart.mongo.hal;

import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.parameter.Parameters;
import org.restheart.mongo.parameter.Representation;

/// A list that is written as HAL or SHAL while its children are read.
///
/// @param head members at the top level
/// @param ifNone further members when there are no children
/// @param links of the list itself
/// @param relation of a child to the list; children of one relation are consecutive
/// @param represent converts a document to a child
record HalPage(
        BsonDocument head,
        BsonDocument ifNone,
        Links links,
        Function<BsonDocument, String> relation,
        UnaryOperator<BsonDocument> represent) {
    static final String MEDIA_TYPE = "application/hal+json";

    HalPage(
            BsonDocument head,
            Links links,
            Function<BsonDocument, String> relation,
            UnaryOperator<BsonDocument> represent) {
        this(head, new BsonDocument(), links, relation, represent);
    }

    DocumentFormat format(Parameters parameters) {
        var out = new Members(JsonEncoder.of(parameters.format().jsonMode()));
        return parameters.format().representation() == Representation.SHAL
                ? new ShalFormat(this, out, parameters.format().noProperties())
                : new HalFormat(this, out);
    }
}
