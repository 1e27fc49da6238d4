package org.restheart.dataapi;

import static org.restheart.bson.BsonValues.number;
import static org.restheart.bson.BsonValues.object;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Accepted;
import org.restheart.http.Content;
import org.restheart.http.Headers;
import org.restheart.http.Lease;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest.Answer.Frame;

/// The answers of one action.
///
/// @param byId whether its request names the document by a path
/// @param canonical whether documents are written as canonical Extended JSON
record ActionResponses(Action action, boolean byId, boolean canonical, DataApiConfig config, Lease lease) {
    private static final String PLAIN = "application/json";
    private static final String CANONICAL = "application/ejson";
    private static final Frame ONE = new Frame("{\"document\": ", "}", "{\"document\": null}");
    private static final Frame MANY = new Frame("{\"documents\": [", "]}", "{\"documents\": []}");

    /// What clients of the Data API expect around documents.
    static Frame frame(Action action) {
        return action == Action.findOne ? ONE : MANY;
    }

    /// Whether a client wants canonical Extended JSON.
    ///
    /// @param otherwise for clients that accept neither format by name
    static boolean isCanonical(Headers headers, boolean otherwise) {
        return Accepted.of(headers)
                .preferred(Set.of(PLAIN, CANONICAL)::contains)
                .map(CANONICAL::equals)
                .orElse(otherwise);
    }

    private static String type(boolean canonical) {
        return canonical ? CANONICAL : PLAIN;
    }

    /// The answer of an action whose request has succeeded.
    Response.Ready answer(Response.Ready done) {
        var ok = Response.status(200);
        return switch (action) {
            case findOne, find, aggregate ->
                ok.with(
                        type(canonical),
                        BoundedContent.of(done.content(), config.limits().bytes()));
            default ->
                written(done.said(DataWrite.Report.class)
                        .orElseThrow(() ->
                                new ProblemException(ProblemCode.INTERNAL, "the outcome of the write is not known")));
        };
    }

    private Response.Ready written(DataWrite.Report written) {
        var failure = written.failure();
        if (failure.isPresent()) {
            if (action != Action.insertMany) {
                throw failure.get().raise();
            }
            throw Errors.mongo(
                    action,
                    "document "
                            + written.errors()
                                    .getFirst()
                                    .getNumber("index", new BsonInt32(0))
                                    .intValue()
                            + ": " + Errors.duplicate(failure.get().message()));
        }
        int inserted = config.inserts().status();
        return switch (action) {
            case insertOne ->
                value(inserted, object("insertedId", written.inserted().getFirst()));
            case insertMany -> value(inserted, object("insertedIds", written.inserted()));
            case deleteOne, deleteMany -> value(200, object("deletedCount", number(written.deleted())));
            default -> {
                var counts =
                        object("matchedCount", number(written.matched()), "modifiedCount", number(written.modified()));
                written.upserted().ifPresent(id -> counts.append("upsertedId", id));
                yield value(200, counts);
            }
        };
    }

    /// The answer if the document of an id is missing, which is not a failure here; throws other failures.
    Response.Ready missing(Throwable failure) {
        if (byId && failure instanceof ProblemException e && e.problem().code() == ProblemCode.NOT_FOUND) {
            return switch (action) {
                case findOne -> Response.json(200, ONE.none()).with("Content-Type", type(canonical));
                case deleteOne -> value(200, object("deletedCount", 0));
                default -> value(200, object("matchedCount", 0, "modifiedCount", 0));
            };
        }
        throw failure instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(failure);
    }

    private Response.Ready value(int status, BsonDocument value) {
        var json =
                JsonEncoder.of(canonical ? JsonMode.EXTENDED : JsonMode.ATLAS).encodeToString(value);
        return Response.json(status, json, lease).with("Content-Type", type(canonical));
    }

    /// Bounds the size of answers. A complete answer that is too large is refused; while one is streamed, the
    /// connection is closed when it exceeds the bound.
    private static final class BoundedContent implements Content.Source {
        private final Content.Source source;
        private long left;

        private BoundedContent(Content.Source source, long bytes) {
            this.source = source;
            this.left = bytes;
        }

        /// @param bytes at most
        /// @throws Refusal if it has more
        static Content of(Content content, long bytes) {
            return switch (content) {
                case Content.Bytes whole
                when whole.length() > bytes ->
                    throw new Refusal(
                            400,
                            "ReadSizeLimitExceeded",
                            "the answer is larger than " + bytes + " bytes: ask for less");
                case Content.Streamed streamed -> streamed.through(source -> new BoundedContent(source, bytes));
                default -> content;
            };
        }

        @Override
        public ByteBuffer next() throws Exception {
            long before = left;
            var piece = source.next();
            left -= piece.remaining();
            if (left < 0 && before <= 0) {
                throw new IOException("the answer is larger than its limit");
            }
            return left < 0 ? piece.slice(piece.position(), (int) before) : piece;
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
