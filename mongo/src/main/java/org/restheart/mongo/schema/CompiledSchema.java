package org.restheart.mongo.schema;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import java.util.List;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;

/// A schema with all schemas that it refers to. Thread-safe.
///
/// @param generation of the stores' contents that it was read from
/// @param why it is not valid, if it turns out not to be; may block
record CompiledSchema(SchemaKey key, Schema schema, long generation, Supplier<String> why) {
    /// The violations of a document; empty if it is valid. The schema is applied to the document in the default
    /// JSON mode.
    ///
    /// @throws org.restheart.http.ProblemException 400 when it takes too long, 500 if the schema is invalid
    List<Error> violations(BsonDocument document) {
        var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(document);
        return Misconfigured.instead(key, why, () -> Evaluation.of(schema, json));
    }
}
