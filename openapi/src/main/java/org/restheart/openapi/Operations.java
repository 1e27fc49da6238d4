package org.restheart.openapi;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.restheart.bson.fields.NamedEntries;
import org.restheart.http.Bundled;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.openapi.DataOperation.Input;
import org.restheart.openapi.DataOperation.Output;
import org.restheart.rest.description.Descriptions.CollectionStructure;
import org.restheart.text.Words;

/// The operations of the data API. Combinations that are not listed are not described.
final class Operations {
    /// In each line of `operations.txt`: kind of the resource, method, first and last part of the id, statuses of
    /// success, content of the request and of a successful response, summary; `-` for an empty text.
    private static final List<DataOperation> ALL = Bundled.text(Operations.class, "operations.txt")
            .lines()
            .map(Operations::parse)
            .toList();

    private Operations() {}

    static List<DataOperation> of(ResourceKind kind) {
        return ALL.stream().filter(operation -> operation.kind() == kind).toList();
    }

    private static DataOperation parse(String line) {
        var cells = line.split(" +", 8);
        return new DataOperation(
                ResourceKind.valueOf(cells[0]),
                Method.valueOf(cells[1]),
                cells[2],
                cells[3].equals("-") ? "" : cells[3],
                cells[7],
                Arrays.stream(cells[4].split(",", -1)).map(Integer::valueOf).toList(),
                Output.valueOf(cells[6]),
                Input.valueOf(cells[5]));
    }

    /// The resources below a collection, with those that its properties declare.
    static final class CollectionPaths {
        private static final String DOCUMENTS = """
            DOCUMENT={id} BULK_DOCUMENTS=* COLLECTION_SIZE=_size COLLECTION_META=_meta
            COLLECTION_VIOLATIONS=_violations COLLECTION_VALIDATOR=_validator AGGREGATIONS=_aggrs
            """;
        private static final String FILES = """
            FILE={id} FILE_BINARY={id}/binary BULK_FILES=* FILES_BUCKET_SIZE=_size FILES_BUCKET_META=_meta
            """;
        private static final String SCHEMAS =
                "SCHEMA={id} BULK_SCHEMAS=* SCHEMA_STORE_SIZE=_size SCHEMA_STORE_META=_meta";
        private static final String INDEXES = "COLLECTION_INDEXES=_indexes INDEX=_indexes/{index}";

        private CollectionPaths() {}

        /// The resources of a collection, by the rest of their paths.
        static Map<ResourceKind, List<List<String>>> below(CollectionStructure collection) {
            var below = new LinkedHashMap<ResourceKind, List<List<String>>>();
            below.put(collection.kind(), List.of(List.of()));
            var resources = switch (collection.kind()) {
                case FILES_BUCKET -> FILES + INDEXES;
                case SCHEMA_STORE -> SCHEMAS;
                default -> DOCUMENTS + INDEXES;
            };
            for (var resource : Words.list(resources)) {
                var pair = resource.split("=", 2);
                below.put(ResourceKind.valueOf(pair[0]), List.of(List.of(pair[1].split("/", -1))));
            }
            if (collection.kind() != ResourceKind.SCHEMA_STORE) {
                below.put(ResourceKind.AGGREGATION, named(collection, "aggrs", "_aggrs"));
                below.put(ResourceKind.CHANGE_STREAM, named(collection, "streams", "_streams"));
            }
            return below;
        }

        private static List<List<String>> named(CollectionStructure collection, String property, String segment) {
            return definitions(collection, property).keySet().stream()
                    .map(uri -> List.of(segment, uri))
                    .toList();
        }

        /// Stored aggregations or streams by name; of equal names, the first applies.
        static Map<String, BsonDocument> definitions(CollectionStructure collection, String property) {
            var definitions = NamedEntries.of(collection.properties().get(property));
            definitions.remove("");
            return definitions;
        }
    }
}
