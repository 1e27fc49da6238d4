package org.restheart.openapi;

import static org.restheart.openapi.Json.type;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Types of fields, by the components of an OpenAPI document.
record FieldTypes(Components components) {
    /// The schema of a field, if all its values are scalars of one type.
    ///
    /// @param path with dots
    Optional<BsonDocument> of(BsonDocument documents, String path) {
        var schema = documents;
        for (var step : path.split("\\.", -1)) {
            var object = resolved(schema);
            if (object.get("type") instanceof BsonString type
                    && type.getValue().equals("array")
                    && object.get("items") instanceof BsonDocument items) {
                object = resolved(items);
            }
            if (!(object.get("properties") instanceof BsonDocument properties)
                    || !(properties.get(step) instanceof BsonDocument next)) {
                return Optional.empty();
            }
            schema = next;
        }
        return scalar(schema);
    }

    private BsonDocument resolved(BsonDocument schema) {
        return schema.get("$ref") instanceof BsonString reference
                ? components
                        .schemas()
                        .getOrDefault(
                                reference
                                        .getValue()
                                        .substring(reference.getValue().lastIndexOf('/') + 1),
                                schema)
                : schema;
    }

    /// A type other than object and array, without null.
    private static Optional<BsonDocument> scalar(BsonDocument schema) {
        if (schema.get("$ref") instanceof BsonString reference) {
            var component = reference.getValue().substring(reference.getValue().lastIndexOf('/') + 1);
            return FixedSchemas.NAMES.contains(component) ? Optional.of(Json.schema(component)) : Optional.empty();
        }
        var names = schema.get("type") instanceof BsonArray several
                ? several.stream()
                        .filter(type -> !type.equals(new BsonString("null")))
                        .toList()
                : schema.get("type") == null ? List.<BsonValue>of() : List.of(schema.get("type"));
        return names.size() == 1
                        && names.getFirst() instanceof BsonString type
                        && !Set.of("object", "array", "null").contains(type.getValue())
                ? Optional.of(type(type.getValue()))
                : Optional.empty();
    }
}
