package org.restheart.mongo.schema;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import java.util.List;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;

/// A schema with all that it refers to. Thread-safe.
///
/// @param generation of the stores' contents that it was read from
record CompiledSchema(SchemaKey key, Schema schema, long generation) {
    /// What a document violates; empty if it is valid. A schema sees what a client of the default JSON mode sees.
    ///
    /// @throws org.restheart.http.ProblemException 400 when it takes too long, 500 if the schema itself is wrong
    List<Error> violations(BsonDocument document) {
        var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(document);
        return Misconfigured.instead(
                key, () -> Evaluation.of(() -> schema.validate(json, InputFormat.JSON, Evaluation::bound)));
    }
}
