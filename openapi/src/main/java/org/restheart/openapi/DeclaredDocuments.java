package org.restheart.openapi;

import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.mongo.description.Descriptions.CollectionStructure;
import org.restheart.openapi.ReadableSchemas.StoredSchema;
import org.restheart.openapi.VisibleResources.Group;

/// What is declared of a collection's documents: a schema for this description alone, the JSON Schema that writes
/// are held to, or MongoDB's validator, in this order. Confined to one OpenAPI document.
record DeclaredDocuments(Components components, Group group) {
    /// @param enforced whether every write is held to it
    /// @param note what else is to be said
    record Declared(BsonDocument schema, boolean enforced, Optional<String> note) {}

    Optional<Declared> schema() {
        var shown = group.collection().flatMap(DeclaredDocuments::override);
        if (shown.isPresent()) {
            return shown.map(schema -> new Declared(schema, false, Optional.empty()));
        }
        var validator = group.collection().flatMap(CollectionStructure::validator);
        if (group.schema().isPresent()) {
            return group.schema()
                    .map(stored -> new Declared(
                            stored.schema(), true, validator.map(_ -> "A validator of MongoDB applies too.")));
        }
        boolean enforced = group.collection().map(CollectionStructure::enforced).orElse(false);
        return validator.map(schema -> new Declared(schema, enforced, Optional.empty()));
    }

    /// `openapi.schema` of the collection's properties.
    private static Optional<BsonDocument> override(CollectionStructure structure) {
        return structure.properties().get("openapi") instanceof BsonDocument shown
                        && shown.get("schema") instanceof BsonDocument schema
                ? Optional.of(schema)
                : Optional.empty();
    }

    /// A declared schema in the form of the OpenAPI document.
    ///
    /// @param component its name, which begins those of its parts
    BsonDocument convert(BsonDocument schema, String component) {
        return new DeclaredSchemas(components, component, reference -> related(reference, component)).convert(schema);
    }

    /// A component for another stored schema.
    private Optional<BsonDocument> related(String reference, String component) {
        return group.schema()
                .map(StoredSchema::related)
                .flatMap(all -> Optional.ofNullable(all.get(reference)))
                .map(schema -> {
                    var id = reference.substring(reference.lastIndexOf('/') + 1);
                    // of one id in several databases
                    var name = ComponentNames.inner(component + ".", id + (isAmbiguous(id) ? " " + reference : ""));
                    if (!components.has(name)) {
                        components.put(name, new BsonDocument()); // for references to itself
                        components.put(
                                name,
                                new DeclaredSchemas(components, name, other -> related(other, component))
                                        .convert(schema));
                    }
                    return Json.schema(name);
                });
    }

    private boolean isAmbiguous(String id) {
        return group.schema().stream()
                        .flatMap(stored -> stored.related().keySet().stream())
                        .filter(reference -> reference.endsWith("/" + id))
                        .count()
                > 1;
    }
}
