package org.restheart.openapi;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.rest.description.Descriptions.CollectionStructure;
import org.restheart.rest.description.Shape;

/// The resources and operations that are visible to a caller: everything that determines the document.
/// Immutable, compares by value.
///
/// @param generic whether collections are described by one path with a variable, without details
/// @param pending whether samples are still being read
record VisibleResources(List<Group> groups, boolean generic, boolean pending) {
    /// A group without known resources.
    static final Group OPEN = new Group(
            RequestPath.of(List.of()),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            Shape.UNKNOWN,
            List.of(),
            Optional.empty(),
            false);

    boolean isEmpty() {
        return groups.stream().allMatch(group -> group.offered().isEmpty());
    }

    /// Whether the caller may write some documents.
    boolean writesDocuments() {
        return groups.stream()
                .flatMap(group -> group.offered().stream())
                .map(Offered::operation)
                .anyMatch(operation -> operation.writes() && (operation.takesPreference() || operation.takesBound()));
    }

    /// The resources of a database or a collection.
    ///
    /// @param db absent at the root
    /// @param collection absent for databases and the root
    /// @param indexes that are visible to the caller
    /// @param schema the stored JSON Schema that the collection names
    /// @param showsNames whether the caller may list indexes, so that examples may name them and their
    ///     fields
    record Group(
            RequestPath path,
            Optional<String> db,
            Optional<CollectionStructure> collection,
            List<Offered> offered,
            Shape shape,
            List<BsonDocument> indexes,
            Optional<StoredSchema> schema,
            boolean showsNames) {}

    /// A JSON Schema of a store, as far as the caller may read it.
    ///
    /// @param uri to which its references are relative
    /// @param related the schemas to which it refers, directly or not, by their URIs
    record StoredSchema(String uri, BsonDocument schema, Map<String, BsonDocument> related) {}

    /// An operation that at least one request of the caller may execute.
    ///
    /// @param path with variables
    /// @param name of an aggregation or a stream; empty for other operations
    /// @param writeMode whether some request may have the parameter `wm`
    /// @param anonymous whether no account is needed
    record Offered(
            DataOperation operation,
            String path,
            String name,
            Permitted permitted,
            boolean writeMode,
            boolean anonymous) {
        boolean depends() {
            return permitted.decision() == Decision.DEPENDS;
        }
    }
}
