package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.NOT_FOUND;

import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.Json;
import org.restheart.mongo.find.Lookups;
import org.restheart.mongo.format.Export;
import org.restheart.mongo.hal.HalPages;
import org.restheart.mongo.parameter.Representation;

/// `GET /{db}/{collection}/{id}`: one document; `304` when the client's copy is current. Files' metadata and
/// schemas are documents too.
public final class GetDocument implements DataHandler {
    private final Lookups lookups;
    private final Queries queries;

    public GetDocument(Lookups lookups, Duration timeLimit) {
        this.lookups = lookups;
        this.queries = new Queries(timeLimit);
    }

    @Override
    public Response handle(DataRequest request) {
        return lookups.one(
                request.http(),
                request.resource().plain(),
                queries.document(request),
                found -> answer(request, found.orElseThrow(() -> missing(request))));
    }

    private static Response.Ready answer(DataRequest request, RawBsonDocument document) {
        var etag = EntityTags.of(etagHolder(request, document));
        if (etag.isPresent() && request.http().headers().first("If-None-Match").equals(etag)) {
            return Json.empty(304);
        }
        var response = Export.wanted(request.http().headers())
                .map(export -> Exports.document(request, export, document))
                .orElseGet(() -> request.parameters().representation() == Representation.STANDARD
                        ? Json.of(request, 200, document)
                        : HalPages.document(request, document));
        return etag.map(tag -> response.with("ETag", tag)).orElse(response);
    }

    /// Files have their tag among the metadata that clients can write.
    private static BsonDocument etagHolder(DataRequest request, BsonDocument document) {
        if (!request.path().kind().isFiles()) {
            return document;
        }
        var metadata = document.get("metadata");
        return metadata != null && metadata.isDocument() ? metadata.asDocument() : new BsonDocument();
    }

    private static RuntimeException missing(DataRequest request) {
        var what = request.path().kind().isFiles()
                ? "file "
                : request.path().kind().isSchemas() ? "schema " : "document ";
        return Problem.of(NOT_FOUND, what + spell(request.id()) + " does not exist")
                .raise();
    }

    private static String spell(BsonValue id) {
        return switch (id.getBsonType()) {
            case STRING -> "'" + id.asString().getValue() + "'";
            case OBJECT_ID -> id.asObjectId().getValue().toHexString();
            default -> JsonEncoder.of(JsonMode.DEFAULT).encodeToString(id);
        };
    }
}
