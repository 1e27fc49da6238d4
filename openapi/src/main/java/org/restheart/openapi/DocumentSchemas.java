package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.type;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.http.Method;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.openapi.VisibleResources.Group;
import org.restheart.openapi.VisibleResources.Offered;

/// The schemas of a collection's documents as they are read; [WrittenSchemas] has those of writes. Components are
/// created on first reference. Confined to one OpenAPI document.
final class DocumentSchemas {
    private final Components components;
    private final ShapeSchemas shapes;
    private final Group group;
    private final String name;
    private final Set<String> secrets;
    private final DeclaredDocuments declarations;
    private final WrittenSchemas written;

    /// @param secrets properties that are written and never read
    DocumentSchemas(Components components, ShapeSchemas shapes, Group group, String name, Set<String> secrets) {
        this.components = components;
        this.shapes = shapes;
        this.group = group;
        this.name = name;
        this.secrets = secrets;
        this.declarations = new DeclaredDocuments(components, group);
        this.written = new WrittenSchemas(components, shapes, group, name, secrets, declarations);
    }

    String name() {
        return name;
    }

    /// Of the same documents.
    WrittenSchemas written() {
        return written;
    }

    BsonDocument stored() {
        if (!components.has(name)) {
            components.put(name, type("object")); // for references to itself
            components.put(name, storedSchema());
        }
        return Json.schema(name);
    }

    private BsonDocument storedSchema() {
        var redaction = SchemaRedaction.by(rules(Method.GET), components);
        var schema = type("object");
        var properties = new BsonDocument();
        var declared = declarations.schema();
        declared.ifPresent(
                found -> addDeclared(declarations.convert(found.schema(), name), redaction, schema, properties));
        boolean closed = declared.filter(
                        found -> BsonBoolean.FALSE.equals(found.schema().get("additionalProperties")))
                .isPresent();
        if (!closed) {
            var seen = shapes.properties(group.shape().root(), name, Set.copyOf(properties.keySet()));
            seen.forEach((property, inner) -> {
                if (property.equals("_id") || property.equals("_etag") || redaction.shows(property)) {
                    properties.putIfAbsent(property, inner);
                }
            });
        }
        if (redaction.shows("_etag")) {
            properties.put("_etag", components.fixed("ObjectId").append("readOnly", BsonValues.value(true)));
        }
        secrets.forEach(properties::remove);
        notes(properties);
        var ordered = new BsonDocument();
        if (redaction.shows("_id")) {
            ordered.append("_id", properties.getOrDefault("_id", new BsonDocument()));
        }
        properties.forEach(ordered::putIfAbsent);
        schema.append("properties", ordered);
        if (redaction.shows("_id")) {
            schema.append("required", array("_id"));
        }
        if (declared.isEmpty() && group.shape().documents() == 0) {
            schema.putIfAbsent("description", new BsonString("Nothing is known of these documents."));
        }
        return schema;
    }

    private static void addDeclared(
            BsonDocument declared, SchemaRedaction redaction, BsonDocument schema, BsonDocument properties) {
        for (var key : List.of("title", "description")) {
            if (declared.containsKey(key)) {
                schema.append(key, declared.get(key));
            }
        }
        declared.getDocument("properties", new BsonDocument()).forEach((property, inner) -> {
            if (redaction.shows(property)) {
                properties.append(property, redaction.redacted(inner, property));
            }
        });
    }

    private List<RuleDecision> rules(Method method) {
        return group.offered().stream()
                .filter(offered -> offered.operation().method() == method)
                .filter(offered -> switch (offered.operation().kind()) {
                    case COLLECTION, DOCUMENT, FILES_BUCKET, FILE, SCHEMA_STORE, SCHEMA, BULK_DOCUMENTS -> true;
                    default -> false;
                })
                .flatMap(offered -> offered.permitted().possible().stream())
                .toList();
    }

    /// Properties with index types.
    private void notes(BsonDocument properties) {
        for (var index : group.indexes()) {
            var keys = index.getDocument("key");
            if (keys.size() != 1) {
                continue;
            }
            var field = keys.getFirstKey();
            if (!(properties.get(field) instanceof BsonDocument schema) || field.equals("_id")) {
                continue;
            }
            if (new BsonString("2dsphere").equals(keys.get(field))) {
                properties.put(field, components.fixed("GeoJson"));
            } else if (BsonBoolean.TRUE.equals(index.get("unique"))) {
                describe(schema, "unique");
            } else if (index.get("expireAfterSeconds") instanceof BsonNumber seconds) {
                describe(schema, "removed " + seconds.longValue() + " seconds after this date");
            }
        }
    }

    /// Adds to the description.
    static void describe(BsonDocument schema, String text) {
        schema.put(
                "description",
                new BsonString(
                        schema.get("description") instanceof BsonString before
                                ? before.getValue() + " (" + text + ")"
                                : text));
    }

    /// The schema of a field of stored documents, if all its values are scalars of one type.
    ///
    /// @param path with dots
    Optional<BsonDocument> typeOf(String path) {
        var schema = stored();
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
        return Json.component(schema)
                .map(component -> components.schemas().getOrDefault(component, schema))
                .orElse(schema);
    }

    /// A type other than object and array, without null.
    private static Optional<BsonDocument> scalar(BsonDocument schema) {
        var component = Json.component(schema);
        if (component.isPresent()) {
            return component.filter(FixedSchemas.NAMES::contains).map(Json::schema);
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

    /// A property of documents that are read, with a value of its type that is none of a document's: for examples of
    /// parameters. Empty if no property with texts or numbers is known.
    Optional<Map.Entry<String, BsonValue>> exampleField() {
        if (rules(Method.GET).isEmpty()) {
            return Optional.empty();
        }
        stored();
        var properties = components
                .schemas()
                .getOrDefault(name, new BsonDocument())
                .getDocument("properties", new BsonDocument());
        return properties.entrySet().stream()
                .filter(property -> property.getKey().matches("[A-Za-z]\\w{0,39}"))
                .flatMap(property ->
                        exampleOf(property.getValue()).stream().map(value -> Map.entry(property.getKey(), value)))
                .findFirst();
    }

    private static Optional<BsonValue> exampleOf(BsonValue schema) {
        var type = schema instanceof BsonDocument document ? document.get("type") : null;
        if (type instanceof BsonArray types && types.size() == 2) { // of which null is the second
            type = types.getFirst();
        }
        return switch (type instanceof BsonString text ? text.getValue() : "") {
            case "string" -> Optional.of(new BsonString("…"));
            case "integer", "number" -> Optional.of(new BsonInt32(1));
            default -> Optional.empty();
        };
    }

    /// The schema of the results of a stored aggregation, if their fields are known.
    Optional<BsonDocument> results(Offered offered, BsonDocument definition) {
        var redaction = SchemaRedaction.by(offered.permitted().possible(), components);
        return PipelineResults.fields(definition).map(fields -> {
            var properties = new BsonDocument();
            fields.stream().filter(redaction::shows).forEach(field -> properties.append(field, new BsonDocument()));
            var component = ComponentNames.inner(name, "aggrs." + offered.name());
            components.put(component, members(properties));
            return Json.schema(component);
        });
    }

    /// The schema of change events.
    BsonDocument event() {
        return members(object("_id", type("object"), "operationType", type("string"), "fullDocument", stored()));
    }
}
