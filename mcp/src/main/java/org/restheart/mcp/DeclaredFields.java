package org.restheart.mcp;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Operation.Read;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.http.judged.JudgedRequests;

/// The fields that a collection's validator and its stored JSON Schema declare, as far as the caller is shown them.
/// Thread-safe.
record DeclaredFields(DataCatalog catalog, JudgedCalls calls) {
    /// Adds them to what a sample has shown.
    ///
    /// @return the sources that the caller may know of: `validator` and `storedSchema`
    BsonDocument addTo(ObservedFields fields, ToolCall call) {
        var sources = new BsonDocument();
        var facts = calls.facts(call.http(), Read.FIND, calls.collection(call), "", call.via());
        if (facts.isEmpty()) {
            return sources;
        }
        var shown = shown(facts.get());
        catalog.validator(call.text("database"), call.text("collection")).ifPresent(schema -> {
            sources.append("validator", BsonBoolean.TRUE);
            declare(schema, "", 1, fields, shown);
        });
        if (facts.get().properties().map(all -> all.get("jsonSchema")).orElse(null) instanceof BsonDocument reference
                && reference.containsKey("schemaId")) {
            var store = BsonTexts.of(reference, "schemaStoreDb").orElseGet(() -> call.text("database"));
            var id = reference.get("schemaId");
            stored(call, store, id).ifPresent(schema -> {
                sources.append("storedSchema", id);
                declare(schema, "", 1, fields, shown);
            });
        }
        return sources;
    }

    private static Predicate<String> shown(DataFacts facts) {
        return facts.grant()
                .projectResponse()
                .map(Visibility::of)
                .<Predicate<String>>map(visibility -> visibility::showsPart)
                .orElse(_ -> true);
    }

    /// The schema, for callers who may read it.
    ///
    /// @param store the database in which it is
    private Optional<BsonDocument> stored(ToolCall call, String store, BsonValue id) {
        return JudgedRequests.unlessRefused(() -> calls.paths()
                .ofDatabase(call.http().connection(), store)
                .map(path -> path.equals("/") ? "/_schemas" : path + "/_schemas")
                .flatMap(schemas -> calls.paths().ofId(id).map(name -> call.request(Read.GET, schemas, name, Map.of())))
                .map(request ->
                        JudgedCalls.document(call, calls.send(call.http(), request.with(new Answer.Values())))));
    }

    /// Only names and types: the rest of a schema may contain values.
    private static void declare(
            BsonDocument schema, String path, int level, ObservedFields fields, Predicate<String> shown) {
        if (schema.get("properties") instanceof BsonDocument properties) {
            var required = BsonTexts.among(schema.get("required"));
            properties.forEach((name, inner) -> {
                var field = path + name;
                if (inner instanceof BsonDocument described && shown.test(field.replace("[]", ""))) {
                    boolean isRequired = required.contains(name);
                    if (fields.declare(field, types(described), isRequired, level)) {
                        declare(described, field + ".", level + 1, fields, shown);
                    }
                }
            });
        }
        if (schema.get("items") instanceof BsonDocument items && !path.isEmpty()) {
            var element = path.substring(0, path.length() - 1) + "[]";
            if (fields.declare(element, types(items), false, level)) {
                declare(items, element + ".", level + 1, fields, shown);
            }
        }
    }

    /// The types by their names in MongoDB, or in JSON Schema.
    private static List<String> types(BsonDocument schema) {
        return BsonTexts.several(schema.get("bsonType", schema.get("type"))).stream()
                .map(Fence::cut)
                .toList();
    }
}
