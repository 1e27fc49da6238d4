package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.NOT_FOUND;

import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.data.Executor;
import org.restheart.http.Fields;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.coalescing.CoalescingConfig;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.format.Export;
import org.restheart.mongo.hal.HalPages;
import org.restheart.mongo.parameter.FormatParameters.Representation;
import org.restheart.mongo.schema.SchemaForm;

/// `GET /{db}/{collection}/{id}`: one document; `304` when the client's copy is current. Files' metadata and
/// schemas are documents too.
public final class GetDocument implements DataHandler {
    /// All representations of a document have one tag, with which a client's cache must not mistake one for another.
    private static final Fields VARY = Fields.of("Vary", "Accept");

    private final Executor executor;
    private final CoalescingConfig shown;
    private final Duration timeLimit;

    /// @param shown whether responses say how many requests a command has served
    /// @param timeLimit of every query; zero for none
    public GetDocument(Executor executor, CoalescingConfig shown, Duration timeLimit) {
        this.executor = executor;
        this.shown = shown;
        this.timeLimit = timeLimit;
    }

    @Override
    public Response handle(DataRequest request) {
        return Response.later(
                executor.get(request.get(timeLimit)),
                found -> shown.withSharing(
                        answer(request, found.document().orElseThrow(() -> missing(request))), found.sharing()));
    }

    private static Response.Ready answer(DataRequest request, RawBsonDocument found) {
        var etag = EntityTags.of(etagHolder(request, found));
        if (EntityTags.isKnown(request.http(), etag)) {
            return JsonResponses.empty(304).with(VARY);
        }
        var document = request.path().kind().isSchemas() ? SchemaForm.shown(found) : found;
        var response = Export.wanted(request.http().headers())
                .map(export -> Exports.document(request, export, document))
                .orElseGet(() -> request.parameters().format().representation() == Representation.STANDARD
                        ? JsonResponses.of(request, 200, document)
                        : HalPages.document(request, document));
        return etag.map(tag -> response.with("ETag", tag).with(VARY)).orElse(response);
    }

    /// The tag of a file is in its metadata, which clients can write.
    private static BsonDocument etagHolder(DataRequest request, BsonDocument document) {
        return request.path().kind().isFiles() ? EntityTags.holderInFile(document) : document;
    }

    private static RuntimeException missing(DataRequest request) {
        var what = request.path().kind().isFiles()
                ? "file "
                : request.path().kind().isSchemas() ? "schema " : "document ";
        return new ProblemException(NOT_FOUND, what + spell(request.id()) + " does not exist");
    }

    private static String spell(BsonValue id) {
        return switch (id.getBsonType()) {
            case STRING -> "'" + id.asString().getValue() + "'";
            case OBJECT_ID -> id.asObjectId().getValue().toHexString();
            default -> JsonEncoder.of(JsonMode.DEFAULT).encodeToString(id);
        };
    }
}
