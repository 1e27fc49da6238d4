package org.restheart.openapi;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.Permitted;
import org.restheart.mongo.description.CollectionStructure;
import org.restheart.mongo.description.Shape;
import org.restheart.openapi.Operations.Operation;

/// What of the data a caller may do something with: all that decides what a document says. Immutable; compares by
/// value.
///
/// @param pending whether shapes are missing that will be known later
record Visible(List<Group> groups, boolean pending) {
    /// Of which nothing is known.
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

    /// Resources with one name: a database, a collection.
    ///
    /// @param path of the database or the collection
    /// @param db absent above databases
    /// @param collection absent above collections
    /// @param shape of its documents
    /// @param indexes that the caller may know of
    /// @param schema the stored JSON Schema that the collection names
    record Group(
            RequestPath path,
            Optional<String> db,
            Optional<CollectionStructure> collection,
            List<Offered> offered,
            Shape shape,
            List<BsonDocument> indexes,
            Optional<BsonDocument> schema,
            boolean showsNames) {}

    /// One operation that some request of the caller may carry out.
    ///
    /// @param path with variables
    /// @param name of an aggregation or a stream; empty for other operations
    /// @param writeMode whether some request may say what is to be done with documents that exist
    /// @param anonymous whether that needs no account
    record Offered(
            Operation operation, String path, String name, Permitted permitted, boolean writeMode, boolean anonymous) {
        boolean depends() {
            return permitted.answer() == Answer.DEPENDS;
        }
    }
}
