package org.restheart.openapi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.Words;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.description.CollectionStructure;

/// The resources below a collection, with those that its properties declare.
final class CollectionPaths {
    /// Segments below a collection that name resources: an unknown id is none of them.
    static final Set<String> RESERVED = Words.of("""
                    _size _meta _violations _validator _indexes _aggrs _streams *
                    """);

    private CollectionPaths() {}

    /// The resources of a collection, by the rest of their paths.
    static Map<ResourceKind, List<List<String>>> below(CollectionStructure collection) {
        var below = new LinkedHashMap<ResourceKind, List<List<String>>>();
        below.put(collection.kind(), List.of(List.of()));
        switch (collection.kind()) {
            case FILES_BUCKET -> {
                below.put(ResourceKind.FILE, List.of(List.of("{id}")));
                below.put(ResourceKind.FILE_BINARY, List.of(List.of("{id}", "binary")));
                below.put(ResourceKind.BULK_FILES, List.of(List.of("*")));
                below.put(ResourceKind.FILES_BUCKET_SIZE, List.of(List.of("_size")));
                below.put(ResourceKind.FILES_BUCKET_META, List.of(List.of("_meta")));
            }
            case SCHEMA_STORE -> {
                below.put(ResourceKind.SCHEMA, List.of(List.of("{id}")));
                below.put(ResourceKind.BULK_SCHEMAS, List.of(List.of("*")));
                below.put(ResourceKind.SCHEMA_STORE_SIZE, List.of(List.of("_size")));
                below.put(ResourceKind.SCHEMA_STORE_META, List.of(List.of("_meta")));
                return below;
            }
            default -> {
                below.put(ResourceKind.DOCUMENT, List.of(List.of("{id}")));
                below.put(ResourceKind.BULK_DOCUMENTS, List.of(List.of("*")));
                below.put(ResourceKind.COLLECTION_SIZE, List.of(List.of("_size")));
                below.put(ResourceKind.COLLECTION_META, List.of(List.of("_meta")));
                below.put(ResourceKind.COLLECTION_VIOLATIONS, List.of(List.of("_violations")));
                below.put(ResourceKind.COLLECTION_VALIDATOR, List.of(List.of("_validator")));
                below.put(ResourceKind.AGGREGATIONS, List.of(List.of("_aggrs")));
            }
        }
        below.put(ResourceKind.COLLECTION_INDEXES, List.of(List.of("_indexes")));
        below.put(ResourceKind.INDEX, List.of(List.of("_indexes", "{index}")));
        below.put(ResourceKind.AGGREGATION, named(collection, "aggrs", "_aggrs"));
        below.put(ResourceKind.CHANGE_STREAM, named(collection, "streams", "_streams"));
        return below;
    }

    private static List<List<String>> named(CollectionStructure collection, String property, String segment) {
        return definitions(collection, property).keySet().stream()
                .map(uri -> List.of(segment, uri))
                .toList();
    }

    /// Stored aggregations or streams by name; of equal names, the first applies.
    static Map<String, BsonDocument> definitions(CollectionStructure collection, String property) {
        var definitions = new LinkedHashMap<String, BsonDocument>();
        if (collection.properties().get(property) instanceof BsonArray array) {
            for (BsonValue entry : array) {
                if (entry instanceof BsonDocument definition
                        && definition.get("uri") instanceof BsonString uri
                        && !uri.getValue().isEmpty()) {
                    definitions.putIfAbsent(uri.getValue(), definition);
                }
            }
        }
        return definitions;
    }
}
