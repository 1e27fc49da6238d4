package org.restheart.rest.exchange;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.mongo.coalescing.BatchResult;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.coalescing.FindResult;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.write.BulkWrites.Tried;
import org.restheart.mongo.write.BulkWrites.Writes;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.WriteOutcome;

/// The responses of coalesced operations; with the number of requests that shared the command, if configured. None
/// blocks. Thread-safe.
public record CoalescedResponses(Coalescer coalescer, boolean header) {
    private static final String SHARING = "X-Coalesced";

    private record Page(Response.Ready response) implements FindResult {
        @Override
        public boolean canBeShared() {
            return !(response.content() instanceof Content.Streamed);
        }

        @Override
        public void discard() {
            response.content().abandon();
        }
    }

    private <O> Response defer(CompletionStage<BatchResult<O>> eventual, Function<O, Response.Ready> answer) {
        return Response.later(eventual, result -> {
            var response = answer.apply(result.outcome());
            return header && result.sharing() > 0
                    ? response.with(SHARING, Integer.toString(result.sharing()))
                    : response;
        });
    }

    public DocumentSizes sizes() {
        return coalescer.sizes();
    }

    /// @param isArray as that of [Coalescer#together]
    /// @param answer builds the response; called once: on the thread that sends it, which it must not block, or
    ///     on that of the writes, if they go alone and so may be many
    public Response write(Writes writes, boolean isArray, Function<Tried, Response.Ready> answer) {
        return coalescer
                .together(writes, isArray)
                .map(failed -> defer(
                        failed,
                        errors -> answer.apply(Tried.inserts(writes.models().size(), errors))))
                .orElseGet(() -> defer(
                        Coalescer.onThread(
                                "write",
                                () -> new BatchResult<>(
                                        answer.apply(coalescer.limited().each(writes)), 0)),
                        built -> built));
    }

    /// @param answer builds the response; called once, on the thread that sends it, which it must not block
    public Response write(DocumentWrite write, boolean plain, Function<WriteOutcome, Response.Ready> answer) {
        return defer(coalescer.write(write, plain), answer);
    }

    /// @param answer as that of [#write]
    public Response one(
            DocumentQuery query,
            boolean plain,
            Lease lease,
            Function<Optional<RawBsonDocument>, Response.Ready> answer) {
        return defer(coalescer.one(query, plain, lease), found -> encoded(lease, found, answer));
    }

    /// As [Coalescer#find].
    public Optional<RawBsonDocument> find(DocumentQuery query, boolean plain, Lease lease) {
        return coalescer.find(query, plain, lease);
    }

    /// The request holds its content instead of the document from now on.
    private static Response.Ready encoded(
            Lease lease, Optional<RawBsonDocument> found, Function<Optional<RawBsonDocument>, Response.Ready> answer) {
        long held = 0;
        try {
            var response = answer.apply(found);
            held = response.content() instanceof Content.Bytes bytes
                    ? bytes.buffer().capacity()
                    : response.said(RawBsonDocument.class)
                            .map(RawBsonDocument::getByteLength)
                            .orElse(0);
            return response;
        } finally {
            lease.correct(Coalescer.held(found), held);
        }
    }

    /// A page, on the thread of the request where it is not shared.
    ///
    /// @param form as that of [Coalescer#page]
    /// @param read as that of [Coalescer#page]
    public Response page(Request request, FindQuery query, String form, Function<Use, Response.Ready> read) {
        if (!coalescer.sharesPages(query)) {
            request.requireThread();
            return read.apply(Use.alone(request.lease()));
        }
        boolean interruptible = request.attribute(JudgedRequest.INTERRUPTIBLE).orElse(false);
        return defer(
                coalescer.page(query, form, interruptible, request.lease(), use -> new Page(read.apply(use))),
                taken -> ((Page) taken).response());
    }
}
