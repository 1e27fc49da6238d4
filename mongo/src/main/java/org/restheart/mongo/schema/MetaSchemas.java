package org.restheart.mongo.schema;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Validates schemas against their meta schemas. Thread-safe.
final class MetaSchemas {
    private static final SchemaRegistry REGISTRY = Registries.of(_ -> null);

    private MetaSchemas() {}

    /// @throws org.restheart.http.ProblemException 400
    static void check(SpecificationVersion version, BsonDocument schema) {
        var meta = REGISTRY.getSchema(SchemaLocation.of(version.getDialectId()));
        var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(schema);
        var violations = Evaluation.of(() -> meta.validate(json, InputFormat.JSON, Evaluation::bound));
        if (!violations.isEmpty()) {
            throw Problem.of(
                            ProblemCode.CONTENT_INVALID,
                            "Request content violates JSON Schema meta schema: " + Violations.text(violations))
                    .raise();
        }
    }
}
