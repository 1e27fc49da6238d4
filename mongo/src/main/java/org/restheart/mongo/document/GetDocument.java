package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.NOT_FOUND;

import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Fields;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.mongo.coalescing.Coalescer;
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

    private final Coalescer reads;
    private final Queries queries;

    public GetDocument(Coalescer reads, Duration timeLimit) {
        this.reads = reads;
        this.queries = new Queries(timeLimit);
    }

    @Override
    public Response handle(DataRequest request) {
        return reads.one(
                queries.document(request),
                request.resource().plain(),
                request.http().lease(),
                found -> answer(request, found.orElseThrow(() -> missing(request))));
    }

    private static Response.Ready answer(DataRequest request, RawBsonDocument found) {
        var etag = EntityTags.of(etagHolder(request, found));
        if (EntityTags.isKnown(request.http(), etag)) {
            return JsonResponses.empty(304).with(VARY);
        }
        var document = request.path().kind().isSchemas() ? SchemaForm.shown(found) : found;
        if (request.http().attribute(JudgedRequest.AS_VALUE).orElse(false)) {
            return Response.status(200).saying(document);
        }
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
