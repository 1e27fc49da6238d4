package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.ProblemCode.QUERY_INVALID;

import com.mongodb.client.MongoCursor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.exchange.Caching;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.format.Csv;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.format.DocumentContent.Room;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.format.DocumentFormat.BsonBytes;
import org.restheart.mongo.format.DocumentFormat.JsonLines;
import org.restheart.mongo.format.Export;

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
        Coalescer coalesced,
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
                batch -> after.map(key -> after(request, query, key, batch)).orElseGet(() -> finder.find(query, batch)),
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
                        run.room(sizes, query, BATCH, use.isShared()), batch -> run.over(find.apply(batch)), format))
                .with("Accept-Ranges", "none");
    }

    /// Without an index MongoDB sorts as it did for the export that broke off: once, not once for every page. A
    /// collation changes sort keys so that no value can be compared with them.
    private MongoCursor<RawBsonDocument> after(DataRequest request, FindQuery query, BsonDocument key, int batch) {
        return continuations
                .find(query, key, batch)
                .or(() -> request.resource().collation().isPresent()
                                || query.settings().collation().isPresent()
                        ? Optional.empty()
                        : documents.findAfter(query, key, batch))
                .orElseThrow(() -> new ProblemException(
                        PARAMETER_INVALID,
                        "after needs a sort by fields, with _id, and, with a collation, the" + " index of that sort"));
    }

    static Response.Ready document(DataRequest request, Export export, BsonDocument document) {
        return DocumentContent.response(
                request.http().lease(), List.of(document), format(request, export, new ArrayList<>(document.keySet())));
    }

    private static DocumentFormat format(
            DataRequest request, Export export, List<String> columns, Embedding embedding) {
        return FindDocuments.shown(request, format(request, export, columns), embedding);
    }

    private static DocumentFormat format(DataRequest request, Export export, List<String> columns) {
        return switch (export) {
            case LINES -> JsonLines.of(request.parameters().format().jsonMode());
            case BSON -> new BsonBytes();
            case CSV -> new Csv(columns);
        };
    }

    /// The fields of an inclusive projection; otherwise all existing fields, for which the whole result is read
    /// once more.
    private List<String> columns(DataRequest request, FindQuery query) {
        var keys = request.parameters().find().keys();
        boolean named =
                keys.entrySet().stream().anyMatch(key -> !key.getKey().equals("_id") && !isZero(key.getValue()));
        if (!named) {
            var found = FindDocuments.form(request).isPresent()
                    ? shown(request, query)
                    : documents.fields(query, MAX_COLUMNS + 1);
            if (found.size() > MAX_COLUMNS) {
                throw new ProblemException(QUERY_INVALID, "more than " + MAX_COLUMNS + " columns: name some with keys");
            }
            return found;
        }
        var columns = new ArrayList<>(keys.keySet());
        columns.remove("_id");
        if (!keys.containsKey("_id") || !isZero(keys.get("_id"))) {
            columns.addFirst("_id");
        }
        return columns;
    }

    /// The fields of documents as they are shown.
    private List<String> shown(DataRequest request, FindQuery query) {
        var names = new LinkedHashSet<String>();
        var shown = FindDocuments.form(request).orElse(UnaryOperator.identity());
        var room = new Room(request.http().lease(), sizes.of(query.namespace()), BATCH);
        DocumentContent.response(room, batch -> finder.find(query, batch), new DocumentFormat() {
            @Override
            public String mediaType() {
                return Csv.MEDIA_TYPE;
            }

            @Override
            public void document(BsonDocument document, long index, Utf8Buffer out) {
                if (names.size() <= MAX_COLUMNS) {
                    names.addAll(shown.apply(document).keySet());
                }
            }
        });
        return List.copyOf(names);
    }

    private static boolean isZero(BsonValue value) {
        return (value.isNumber() && value.asNumber().doubleValue() == 0)
                || (value.isBoolean() && !value.asBoolean().getValue());
    }
}
