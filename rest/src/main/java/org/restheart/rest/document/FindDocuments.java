package org.restheart.rest.document;

import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.ProblemCode.QUERY_INVALID;

import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Lease;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.find.CountQuery;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.exchange.Caching;
import org.restheart.rest.exchange.CoalescedResponses;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.Plans;
import org.restheart.rest.format.Csv;
import org.restheart.rest.format.DocumentContent;
import org.restheart.rest.format.DocumentContent.Room;
import org.restheart.rest.format.DocumentFormat;
import org.restheart.rest.format.DocumentFormat.BsonBytes;
import org.restheart.rest.format.DocumentFormat.JsonLines;
import org.restheart.rest.format.Export;
import org.restheart.rest.guard.IndexCheck;
import org.restheart.rest.hal.HalPages;
import org.restheart.rest.parameter.FindParameters.Counting;
import org.restheart.rest.parameter.FormatParameters.Representation;
import org.restheart.rest.reading.RelatedReads;
import org.restheart.rest.schema.SchemaForm;

/// `GET /{db}/{collection}`: one page of the documents that match. Buckets and schema stores are collections
/// too.
public final class FindDocuments implements DataHandler {
    /// Says how accurate a count is.
    private static final String COUNT_STRATEGY = "X-Count-Strategy";

    /// The number of documents on all pages. A header, since an array has no place for it.
    private static final String TOTAL_COUNT = "X-Total-Count";

    private final Finder finder;
    private final DriverFinder documents;
    private final CoalescedResponses coalesced;
    private final Queries queries;
    private final NextPage next;
    private final Exports exports;
    private final JudgedRequests judged;
    private final RelatedReads related;
    private final IndexCheck indexes;

    /// @param judged decides what a caller may see of related documents
    /// @param timeLimit of a page
    /// @param bulkTimeLimit of all documents
    public FindDocuments(
            Finder finder,
            DriverFinder documents,
            CoalescedResponses coalesced,
            Continuations continuations,
            JudgedRequests judged,
            RelatedReads related,
            IndexCheck indexes,
            Duration timeLimit,
            Duration bulkTimeLimit) {
        this.judged = judged;
        this.related = related;
        this.finder = finder;
        this.indexes = indexes;
        this.documents = documents;
        this.coalesced = coalesced;
        this.queries = new Queries(timeLimit);
        this.next = new NextPage(continuations, coalesced.sizes());
        this.exports = new Exports(
                finder, documents, coalesced, queries, new Queries(bulkTimeLimit), continuations, coalesced.sizes());
    }

    @Override
    public Response handle(DataRequest request) {
        var plan = Plans.asked(request);
        if (plan.isPresent()) {
            request.http().requireThread();
            return Plans.response(request, documents.explain(queries.page(request), plan.get()));
        }
        var embedding = Embedding.of(request, queries, judged, indexes, related);
        if (request.parameters().find().paging().pageSize() > 0) {
            indexes.require(request, queries.page(request));
        }
        var size = size(request);
        var response = Export.wanted(request.http().headers())
                .map(export -> exports.query(request, export, embedding))
                .orElseGet(() -> request.parameters().format().representation() == Representation.STANDARD
                        ? array(request, embedding)
                        : hal(request, size, embedding));
        return response.map(page -> NextPage.linked(withHeaders(request, page, size), request.http()));
    }

    /// `GET /{db}/{collection}/{id}`: one document; `304` when the client's copy is current. Files' metadata
    /// and schemas are documents too.
    public Response one(DataRequest request) {
        var embedding = Embedding.of(request, queries, judged, indexes, related);
        if (!embedding.isNothing() || form(request).isPresent()) {
            return alone(request, embedding);
        }
        return coalesced.one(
                queries.document(request),
                request.resource().plain(),
                request.http().lease(),
                found -> {
                    var document = found.orElseThrow(() -> missing(request));
                    return response(request, document, document, false);
                });
    }

    /// The tag is that of the document, for writes: what else the answer depends on is not compared.
    private Response alone(DataRequest request, Embedding embedding) {
        request.http().requireThread();
        var query = queries.document(request);
        var wanted = query.with(embedding.over(query.projection()));
        var lease = request.http().lease();
        var found = coalesced.find(wanted, request.resource().plain(), lease).orElseThrow(() -> missing(request));
        var run = embedding.run(queries.page(request), lease);
        var document = embedding.isNothing() ? form(request).orElseThrow().apply(found) : run.over(found);
        return run.warned(response(request, found, document, !embedding.isNothing() || isChanged(request)));
    }

    /// @param document as it is sent
    /// @param dependsOnMore whether that depends on more than its tag
    private static Response.Ready response(
            DataRequest request, RawBsonDocument found, BsonDocument document, boolean dependsOnMore) {
        var etag = EntityTags.of(etagHolder(request, found));
        if (!dependsOnMore && Caching.isKnown(request.http(), etag)) {
            return JsonResponses.empty(304);
        }
        if (Answer.of(request.http(), Answer.Values.class).isPresent()) {
            return Response.status(200).saying(document);
        }
        if (Answer.of(request.http(), Answer.Json.class).isPresent()) {
            var format = DocumentFormat.of(
                    request.http(), request.parameters().format().jsonMode());
            return DocumentContent.response(request.http().lease(), List.of(document), format);
        }
        var response = Export.wanted(request.http().headers())
                .map(export -> Exports.document(request, export, document))
                .orElseGet(() -> request.parameters().format().representation() == Representation.STANDARD
                        ? JsonResponses.of(request, 200, document)
                        : HalPages.document(request, document));
        return response.with("ETag", etag);
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
        indexes.require(request, query);
        var size = new BsonDocument("_size", new BsonInt64(documents.count(query)));
        return JsonResponses.of(request, 200, size)
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
        var query = queries.count(request);
        indexes.require(request, query);
        return OptionalLong.of(documents.count(query));
    }

    private Response.Ready withHeaders(DataRequest request, Response.Ready page, OptionalLong size) {
        return size.isEmpty()
                ? page
                : page.with(COUNT_STRATEGY, strategy(queries.count(request)))
                        .with(TOTAL_COUNT, Long.toString(size.getAsLong()));
    }

    /// An array depends only on the query and the JSON mode, so that equal requests share it, and those that
    /// differ in the mode share the documents.
    private Response array(DataRequest request, Embedding embedding) {
        if (request.parameters().find().paging().pageSize() == 0) {
            return JsonResponses.empty(200);
        }
        var mode = request.parameters().format().jsonMode();
        Supplier<DocumentFormat> format = () -> shown(request, DocumentFormat.of(request.http(), mode), embedding);
        var query = embedding.over(queries.page(request));
        var after = Queries.after(request);
        if (after.isPresent()) {
            request.http().requireThread();
            return next.after(query, request.http().lease(), after.get(), format.get(), embedding);
        }
        var service = request.http().attribute(Answer.KEY);
        return page(coalesced, request, query, service.map(Answer::toString).orElse(mode.name()), embedding, use -> {
            var page = run(use, query, format.get(), embedding);
            return service.isPresent() ? page : Caching.withHash(page);
        });
    }

    /// A page, which equal requests share unless its documents are changed for each.
    ///
    /// @param form as [CoalescedResponses#page], without the embedding
    static Response page(
            CoalescedResponses coalesced,
            DataRequest request,
            FindQuery query,
            String form,
            Embedding embedding,
            Function<Use, Response.Ready> read) {
        if (embedding.isNothing() ? isChanged(request) : embedding.isShown()) {
            request.http().requireThread();
            return read.apply(Use.alone(request.http().lease()));
        }
        return coalesced.page(request.http(), query, embedding.isNothing() ? form : form + embedding.form(), read);
    }

    /// Whether documents are changed for this request.
    private static boolean isChanged(DataRequest request) {
        return request.http().attribute(DocumentFormat.SHOWN).isPresent();
    }

    private Response hal(DataRequest request, OptionalLong size, Embedding embedding) {
        request.http().requireThread();
        var format = shown(request, HalPages.collection(request, size, judged), embedding);
        if (request.parameters().find().paging().pageSize() == 0) {
            return DocumentContent.response(request.http().lease(), List.of(), format);
        }
        var page = embedding.over(queries.page(request));
        return Queries.after(request)
                .map(key -> next.after(page, request.http().lease(), key, format, embedding))
                .orElseGet(() -> run(Use.alone(request.http().lease()), page, format, embedding));
    }

    /// How documents are shown, if not as they are stored: schemas are stored escaped.
    static Optional<UnaryOperator<BsonDocument>> form(DataRequest request) {
        var changed = request.http().attribute(DocumentFormat.SHOWN);
        return request.path().kind().isSchemas()
                ? Optional.of(
                        document -> changed.orElse(UnaryOperator.identity()).apply(SchemaForm.shown(document)))
                : changed;
    }

    /// The format of documents as they are shown, which those with related ones are already.
    static DocumentFormat shown(DataRequest request, DocumentFormat format, Embedding embedding) {
        return embedding.isNothing()
                ? form(request)
                        .map(shown -> format.mapped((document, _) -> shown.apply(document)))
                        .orElse(format)
                : format;
    }

    private Response.Ready run(Use use, FindQuery query, DocumentFormat format, Embedding embedding) {
        var found = use.change().apply(finder);
        return next.response(query, use.lease(), use.isShared(), batch -> found.find(query, batch), format, embedding);
    }

    /// Exports a whole query, or one document, in the format of the client's `Accept`, in bounded memory.
    ///
    /// @param documents for the default columns of CSV
    /// @param coalesced find a page that the client has requested, once for equal requests
    /// @param queries of pages
    /// @param whole of all documents
    /// @param continuations find the documents after the key in the parameter `after`
    /// @param sizes how many documents to fetch at once
    record Exports(
            Finder finder,
            DriverFinder documents,
            CoalescedResponses coalesced,
            Queries queries,
            Queries whole,
            Continuations continuations,
            DocumentSizes sizes) {
        /// Documents per round trip; MongoDB bounds a batch to 16 MiB.
        private static final int BATCH = 500;

        private static final int MAX_COLUMNS = 10_000;

        /// All matching documents, those after a key, or the requested page.
        Response query(DataRequest request, Export export, Embedding embedding) {
            var paging = request.parameters().find().paging();
            if (paging.explicit() && paging.pageSize() == 0) {
                return DocumentContent.response(
                        request.http().lease(), List.of(), format(request, export, List.of(), embedding));
            }
            var after = Queries.after(request);
            if (paging.explicit() && after.isEmpty() && export != Export.CSV) {
                return page(request, export, embedding);
            }
            request.http().requireThread();
            var query = embedding.over(paging.explicit() ? queries.page(request) : whole.all(request));
            var columns = export == Export.CSV ? columns(request, query) : List.<String>of();
            return response(
                    query,
                    Use.alone(request.http().lease()),
                    batch -> after.map(key -> after(request, query, key, batch))
                            .orElseGet(() -> finder.find(query, batch)),
                    format(request, export, columns, embedding),
                    embedding);
        }

        private Response page(DataRequest request, Export export, Embedding embedding) {
            var format = format(request, export, List.of(), embedding);
            var query = embedding.over(queries.page(request));
            var form = export == Export.BSON
                    ? export.name()
                    : export + " " + request.parameters().format().jsonMode();
            return FindDocuments.page(
                    coalesced,
                    request,
                    query,
                    form,
                    embedding,
                    use -> Caching.withHash(response(
                            query, use, batch -> use.change().apply(finder).find(query, batch), format, embedding)));
        }

        private Response.Ready response(
                FindQuery query,
                Use use,
                IntFunction<MongoCursor<RawBsonDocument>> find,
                DocumentFormat format,
                Embedding embedding) {
            var run = embedding.run(query, use.lease());
            return run.warned(DocumentContent.response(
                            run.room(sizes, query, BATCH, use.isShared()),
                            batch -> run.over(find.apply(batch)),
                            format))
                    .with("Accept-Ranges", "none");
        }

        /// Without an index MongoDB sorts as it did for the export that broke off: once, not once for
        /// every page. A collation changes sort keys so that no value can be compared with them.
        private MongoCursor<RawBsonDocument> after(DataRequest request, FindQuery query, BsonDocument key, int batch) {
            return continuations
                    .find(query, key, batch)
                    .or(() -> request.resource().collation().isPresent()
                                    || query.settings().collation().isPresent()
                            ? Optional.empty()
                            : documents.findAfter(query, key, batch))
                    .orElseThrow(() -> new ProblemException(
                            PARAMETER_INVALID,
                            "after needs a sort by fields, with _id, and, with a collation, the"
                                    + " index of that sort"));
        }

        static Response.Ready document(DataRequest request, Export export, BsonDocument document) {
            return DocumentContent.response(
                    request.http().lease(),
                    List.of(document),
                    format(request, export, new ArrayList<>(document.keySet())));
        }

        private static DocumentFormat format(
                DataRequest request, Export export, List<String> columns, Embedding embedding) {
            return FindDocuments.shown(request, format(request, export, columns), embedding);
        }

        private static DocumentFormat format(DataRequest request, Export export, List<String> columns) {
            return switch (export) {
                case LINES -> JsonLines.of(request.parameters().format().jsonMode());
                case BSON -> new BsonBytes();
                case CSV -> new Csv(columns, request.parameters().format().jsonMode() == JsonMode.PLAIN);
            };
        }

        /// The fields of an inclusive projection; otherwise all existing fields, for which the whole
        /// result is read once more.
        private List<String> columns(DataRequest request, FindQuery query) {
            var keys = request.parameters().find().keys();
            boolean named = keys.entrySet().stream()
                    .anyMatch(key -> !key.getKey().equals("_id") && !BsonValues.isOff(key.getValue()));
            if (!named) {
                var found = new Columns(request.http().lease());
                if (FindDocuments.form(request).isPresent()) {
                    shown(request, query, found);
                } else {
                    documents.fields(query, MAX_COLUMNS + 1, found::add);
                }
                return List.copyOf(found.names);
            }
            var columns = new ArrayList<>(keys.keySet());
            columns.remove("_id");
            if (!keys.containsKey("_id") || !BsonValues.isOff(keys.get("_id"))) {
                columns.addFirst("_id");
            }
            return columns;
        }

        /// Finds the fields of documents as they are shown.
        private void shown(DataRequest request, FindQuery query, Columns found) {
            var shown = FindDocuments.form(request).orElse(UnaryOperator.identity());
            var room = new Room(request.http().lease(), sizes.of(query.namespace()), BATCH);
            DocumentContent.response(room, batch -> finder.find(query, batch), new DocumentFormat() {
                @Override
                public String mediaType() {
                    return Csv.MEDIA_TYPE;
                }

                @Override
                public void document(BsonDocument document, long index, Utf8Buffer out) {
                    shown.apply(document).keySet().forEach(found::add);
                }
            });
        }

        /// Names in the order in which they are found. Confined to one request.
        private static final class Columns {
            /// Bytes of an entry of the set, about.
            private static final int ENTRY = 100;

            private final Lease lease;
            private final Set<String> names = new LinkedHashSet<>();

            Columns(Lease lease) {
                this.lease = lease;
            }

            /// @throws ProblemException 400 if there are too many; 503 if the caller may not have the memory now
            void add(String name) {
                if (names.contains(name)) {
                    return;
                }
                if (names.size() == MAX_COLUMNS) {
                    throw new ProblemException(
                            QUERY_INVALID, "more than " + MAX_COLUMNS + " columns: name some with keys");
                }
                lease.hold(ENTRY + 2L * name.length());
                names.add(name);
            }
        }
    }
}
