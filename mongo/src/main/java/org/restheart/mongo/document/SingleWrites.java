package org.restheart.mongo.document;

import com.mongodb.client.MongoClient;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.DocumentWrites;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteTargets;
import org.restheart.mongo.write.WrittenCheck;

/// The writes of one document, by the id in the path of a request, and their results for services that make
/// judged requests.
///
/// Whether the document was modified is determined by comparing it before and after, without its tag. With
/// concurrent writes it may count as modified although this write did nothing. For callers with hidden fields
/// it always counts as modified.
///
/// Thread-safe.
public final class SingleWrites {
    private final Collections collections;
    private final Preconditions preconditions;
    private final DocumentWrites<WriteOutcome> writes;
    private final WrittenCheck writtenCheck;

    /// @param writes executes replacements and updates
    public SingleWrites(Collections collections, Preconditions preconditions, DocumentWrites<WriteOutcome> writes) {
        this.collections = collections;
        this.preconditions = preconditions;
        this.writes = writes;
        this.writtenCheck = new WrittenCheck(collections);
    }

    MongoClient client() {
        return collections.client();
    }

    /// See [WrittenCheck#check].
    void check(DataRequest request, RawBsonDocument document) {
        writtenCheck.check(request, List.of(document));
    }

    /// The document of the request's path, under the request's write filter and precondition.
    TargetDocument target(DataRequest request) {
        return new TargetDocument(
                SessionCollection.of(collections, request),
                request.id(),
                request.writeFilter(),
                preconditions.ofDocument(request));
    }

    /// Executes a write, coalesced unless its result has to be reported to a service.
    ///
    /// @param answer responds with 201 when the write has created the document
    Response reported(
            DataRequest request, DocumentWrite<WriteOutcome> write, Function<WriteOutcome, Response.Ready> answer) {
        return request.http().attribute(DataWrite.KEY).isEmpty()
                ? writes.write(request.http(), request.resource().plain(), write, answer)
                : reported(request, () -> answer.apply(write.alone()));
    }

    /// @param write responds with 201 when it has created the document
    Response.Ready reported(DataRequest request, Supplier<Response.Ready> write) {
        request.http().requireThread();
        if (request.http().attribute(DataWrite.KEY).isEmpty()) {
            return write.get();
        }
        var grant = request.grant();
        if (grant.readFilter().isPresent() || grant.projectResponse().isPresent()) {
            return reported(request, write.get(), true); // whether it was modified would reveal its content
        }
        var before = read(request);
        var response = write.get();
        return reported(request, response, response.status() == 201 || !before.equals(read(request)));
    }

    private static Response.Ready reported(DataRequest request, Response.Ready response, boolean modified) {
        if (response.status() == 201) {
            DataWrite.report(request.http(), DataWrite.Report.upserted(request.id()));
        } else {
            DataWrite.report(request.http(), DataWrite.Report.changed(1, modified ? 1 : 0));
        }
        return response;
    }

    private Optional<RawBsonDocument> read(DataRequest request) {
        return WriteTargets.document(SessionCollection.of(collections, request), request.id())
                .map(document ->
                        RawDocuments.edit(document).remove(EntityTags.FIELD).toDocument());
    }
}
