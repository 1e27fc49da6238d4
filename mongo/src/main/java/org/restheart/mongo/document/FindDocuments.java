package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.NOT_FOUND;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Accepted;
import org.restheart.http.Fields;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.exchange.Plans;
import org.restheart.mongo.find.CountQuery;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.format.Export;
import org.restheart.mongo.hal.HalPages;
import org.restheart.mongo.parameter.FindParameters.Counting;
import org.restheart.mongo.parameter.FormatParameters.Representation;
import org.restheart.mongo.schema.SchemaForm;

/// `GET /{db}/{collection}`: one page of the documents that match. Buckets and schema stores are collections
/// too.
public final class FindDocuments implements DataHandler {
    /// Says how accurate a count is.
    private static final String COUNT_STRATEGY = "X-Count-Strategy";

    /// The number of documents on all pages. A header, since an array has no place for it.
    private static final String TOTAL_COUNT = "X-Total-Count";

    /// All representations of a document have one tag, with which a client's cache must not mistake one for
    /// another.
    private static final Fields VARY = Fields.of("Vary", "Accept");

    private final Finder finder;
    private final DriverFinder documents;
    private final Coalescer coalesced;
    private final Queries queries;
    private final NextPage next;
    private final Exports exports;

    /// @param timeLimit of a page
    /// @param bulkTimeLimit of all documents
    public FindDocuments(
            Finder finder,
            DriverFinder documents,
            Coalescer coalesced,
            Continuations continuations,
            Duration timeLimit,
            Duration bulkTimeLimit) {
        this.finder = finder;
        this.documents = documents;
        this.coalesced = coalesced;
        this.queries = new Queries(timeLimit);
        this.next = new NextPage(continuations, coalesced.sizes());
        this.exports = new Exports(
                finder, documents, coalesced, queries, new Queries(bulkTimeLimit), continuations, coalesced.sizes());
    }

    @Override
    public Response handle(DataRequest request) {
        var explain = request.http().attribute(JudgedRequest.PLAN);
        if (explain.isPresent()) {
            request.http().requireThread();
            return JsonResponses.empty(204).saying(documents.explain(queries.page(request), explain.get()));
        }
        var plan = Plans.asked(request);
        if (plan.isPresent()) {
            request.http().requireThread();
            return Plans.response(request, documents.explain(queries.page(request), plan.get()));
        }
        var size = size(request);
        var response = Export.wanted(request.http().headers())
                .map(export -> exports.query(request, export))
                .orElseGet(() -> request.parameters().format().representation() == Representation.STANDARD
                        ? array(request)
                        : hal(request, size));
        return response.map(page ->
                NextPage.linked(withHeaders(request, page, size), request.http().query()));
    }

    /// `GET /{db}/{collection}/{id}`: one document; `304` when the client's copy is current. Files' metadata
    /// and schemas are documents too.
    public Response one(DataRequest request) {
        return coalesced.one(
                queries.document(request),
                request.resource().plain(),
                request.http().lease(),
                found -> shown(request, found.orElseThrow(() -> missing(request))));
    }

    private static Response.Ready shown(DataRequest request, RawBsonDocument found) {
        var etag = EntityTags.of(etagHolder(request, found));
        if (EntityTags.isKnown(request.http(), etag)) {
            return JsonResponses.empty(304).with(VARY);
        }
        var document = request.path().kind().isSchemas()
                ? SchemaForm.shown(found)
                : request.http()
                        .attribute(DocumentFormat.SHOWN)
                        .map(form -> form.apply(found))
                        .orElse(found);
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

    /// `GET /{db}/{collection}/_size`: how many documents match.
    public Response count(DataRequest request) {
        request.http().requireThread();
        var query = queries.count(request);
        var size = new BsonDocument("_size", new BsonInt64(documents.count(query)));
        return EntityTags.add(
                        JsonResponses.of(request, 200, size), request.resource().properties())
                .with(COUNT_STRATEGY, strategy(query))
                .saying(size);
    }

    private static String strategy(CountQuery query) {
        return query.estimated() ? "estimated" : "exact";
    }

    /// The number of documents on all pages, if the client has requested it.
    private OptionalLong size(DataRequest request) {
        if (request.parameters().find().counting() == Counting.NONE) {
            return OptionalLong.empty();
        }
        request.http().requireThread();
        return OptionalLong.of(documents.count(queries.count(request)));
    }

    private Response.Ready withHeaders(DataRequest request, Response.Ready page, OptionalLong size) {
        var tagged = EntityTags.add(page, request.resource().properties()).with(Accepted.VARY);
        return size.isEmpty()
                ? tagged
                : tagged.with(COUNT_STRATEGY, strategy(queries.count(request)))
                        .with(TOTAL_COUNT, Long.toString(size.getAsLong()));
    }

    /// An array depends only on the query and the JSON mode, so that equal requests share it, and those that
    /// differ in the mode share the documents.
    private Response array(DataRequest request) {
        if (request.parameters().find().paging().pageSize() == 0) {
            return JsonResponses.empty(200);
        }
        var mode = request.parameters().format().jsonMode();
        Supplier<DocumentFormat> format = () -> shown(request, DocumentFormat.of(request.http(), mode));
        var query = queries.page(request);
        var after = Queries.after(request);
        if (after.isPresent()) {
            request.http().requireThread();
            return next.after(query, request.http().lease(), after.get(), format.get());
        }
        var form = DocumentFormat.isOfValues(request.http()) ? "values" : mode.name();
        return coalesced.page(request.http(), query, form(request, form), use -> run(use, query, format.get()));
    }

    private Response hal(DataRequest request, OptionalLong size) {
        request.http().requireThread();
        var format = shown(request, HalPages.collection(request, size));
        if (request.parameters().find().paging().pageSize() == 0) {
            return DocumentContent.response(request.http().lease(), List.of(), format);
        }
        var page = queries.page(request);
        return Queries.after(request)
                .map(key -> next.after(page, request.http().lease(), key, format))
                .orElseGet(() -> run(Use.alone(request.http().lease()), page, format));
    }

    /// What distinguishes the results that requests with equal queries may share.
    static String form(DataRequest request, String format) {
        return request.http().attribute(DocumentFormat.SHOWN).isPresent() ? format + " shown" : format;
    }

    /// Schemas are stored escaped.
    static DocumentFormat shown(DataRequest request, DocumentFormat format) {
        return request.path().kind().isSchemas()
                ? format.mapped((schema, _) -> SchemaForm.shown(schema))
                : format.shownTo(request.http());
    }

    private Response.Ready run(Use use, FindQuery query, DocumentFormat format) {
        var found = use.change().apply(finder);
        return next.response(query, use.lease(), use.isShared(), batch -> found.find(query, batch), format);
    }
}
