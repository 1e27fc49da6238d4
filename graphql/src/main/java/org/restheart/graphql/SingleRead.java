package org.restheart.graphql;

import graphql.schema.DataFetchingEnvironment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.FieldMapping.Loading;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.reading.DocumentReads.KnownCollection;
import org.restheart.mongo.reading.ReadPipeline;
import org.restheart.mongo.reading.ReadQuery;

/// The load of an operation that loads one document ([SingleReadOperations]). The field waits until [#arrived] is
/// called, so that the execution continues on the thread of its caller. Used by one thread at a time.
final class SingleRead implements FieldLoads {
    private final DocumentReads reads;
    private final KnownCollection collection;
    private final CompletableFuture<List<RawBsonDocument>> field = new CompletableFuture<>();
    private @Nullable CompletionStage<List<RawBsonDocument>> documents;

    SingleRead(DocumentReads reads, KnownCollection collection) {
        this.reads = reads;
        this.collection = collection;
    }

    /// The documents that are being read; empty if the field was not fetched.
    Optional<CompletionStage<List<RawBsonDocument>>> documents() {
        return Optional.ofNullable(documents);
    }

    @Override
    public CompletionStage<List<RawBsonDocument>> find(
            String name, Loading loading, ReadQuery query, DataFetchingEnvironment environment) {
        if (documents != null) {
            throw new IllegalStateException("a second load of " + name);
        }
        documents = reads.find(query, collection);
        return field;
    }

    @Override
    public CompletionStage<List<RawBsonDocument>> aggregate(
            String name, Loading loading, ReadPipeline query, DataFetchingEnvironment environment) {
        throw new IllegalStateException(name + " is a pipeline");
    }

    /// Completes the field, and with it the execution.
    void arrived(List<RawBsonDocument> found) {
        field.complete(found);
    }

    /// Fails the field.
    void failed(Throwable failure) {
        field.completeExceptionally(failure);
    }
}
