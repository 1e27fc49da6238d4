package org.restheart.rest.document;

import com.mongodb.client.MongoCursor;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntFunction;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.PercentCoding;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.FindQuery;
import org.restheart.rest.format.DocumentContent;
import org.restheart.rest.format.DocumentFormat;
import org.restheart.rest.parameter.AfterParameter;

/// The link to the page after a full one (RFC 8288), which continues after the last document's key. Thread-safe.
record NextPage(Continuations continuations, DocumentSizes sizes) {
    /// More than a page can have, except for requests of other services.
    private static final int LARGEST_BATCH = 10_001;

    /// Built without the parameters of each request, since one query may serve several requests.
    /// What a query may hold (RFC 3986, 3.4); `%` too, as clients have encoded the rest.
    private static final String ALLOWED = "!#$%&'()*+,/:;=?@[]";

    private static final String HEADER = "Link";

    private static final String REL = "; rel=\"next\"";

    /// Most characters of a request's other parameters.
    private static final int MAX_PARAMETERS = 4_096;

    /// A `200` of the documents that are found, with the key of the next page.
    Response.Ready response(
            FindQuery query,
            Lease lease,
            boolean isShared,
            IntFunction<MongoCursor<RawBsonDocument>> find,
            DocumentFormat format,
            Embedding embedding) {
        var run = embedding.run(query, lease);
        var last = new Last();
        // one more than the page has, so that MongoDB closes the cursor with its first reply
        var room = run.room(sizes, query, Math.min(query.limit() + 1, LARGEST_BATCH), isShared);
        var page = run.warned(DocumentContent.response(room, batch -> run.over(last.of(find.apply(batch))), format));
        var document = last.document;
        if (page.content() instanceof Content.Streamed) {
            last.forget(); // it is sent for as long as its client takes
            return page;
        }
        if (document == null || last.count < query.limit()) {
            return page;
        }
        return page.with(HEADER, continuations.key(query, document).flatMap(AfterParameter::encode));
    }

    /// A `200` of the documents after the key, with the key of the next page.
    ///
    /// @throws org.restheart.http.ProblemException 400 if the order has no index
    Response.Ready after(FindQuery query, Lease lease, BsonDocument key, DocumentFormat format, Embedding embedding) {
        return response(
                query,
                lease,
                false,
                batch -> continuations.find(query, key, batch).orElseThrow(NextPage::noOrder),
                format,
                embedding);
    }

    static ProblemException noOrder() {
        return new ProblemException(
                ProblemCode.PARAMETER_INVALID, "after needs a sort by the fields of an index with _id: use page");
    }

    /// The page with the link relative to the URL of this request, without what only this one has (a transaction).
    static Response.Ready linked(Response.Ready page, Request request) {
        var token = page.headers().first(HEADER);
        if (token.isEmpty()) {
            return page;
        }
        var target = new StringBuilder("<?");
        var others = new HashSet<>(request.attribute(JudgedRequest.ADDED).orElse(Set.of()));
        others.addAll(Set.of(AfterParameter.NAME, "page"));
        for (var parameter : request.query().raw().split("&", -1)) {
            if (!parameter.isEmpty() && others.stream().noneMatch(name -> isNamed(parameter, name))) {
                target.append(PercentCoding.encode(parameter, ALLOWED)).append('&');
            }
        }
        if (target.length() > MAX_PARAMETERS) {
            return page.withHeaders(page.headers().without(HEADER));
        }
        target.append(AfterParameter.NAME)
                .append('=')
                .append(token.get())
                .append('>')
                .append(REL);
        return page.with(HEADER, target.toString());
    }

    private static boolean isNamed(String parameter, String name) {
        return parameter.startsWith(name)
                && (parameter.length() == name.length() || parameter.charAt(name.length()) == '=');
    }

    /// The last document that was found, as it is before others are embedded in it. Confined to one result.
    private static final class Last {
        private @Nullable RawBsonDocument document;
        private long count;
        private boolean isForgotten;

        MongoCursor<RawBsonDocument> of(MongoCursor<RawBsonDocument> found) {
            return new DocumentCursor.Wrapper(found) {
                @Override
                public RawBsonDocument next() {
                    var next = super.next();
                    document = isForgotten ? null : next;
                    count++;
                    return next;
                }
            };
        }

        void forget() {
            isForgotten = true;
            document = null;
        }
    }
}
