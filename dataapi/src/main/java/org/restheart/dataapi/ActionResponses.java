package org.restheart.dataapi;

import static org.restheart.bson.BsonValues.object;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonValue;
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

/// The answers of one action.
///
/// @param byId whether its request names the document by a path
/// @param canonical whether documents are written as canonical Extended JSON
record ActionResponses(Action action, boolean byId, boolean canonical, DataApiConfig config, Lease lease) {
    private static final String PLAIN = "application/json";
    private static final String CANONICAL = "application/ejson";

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
            case findOne ->
                ok.with(
                        type(canonical),
                        byId ? DocumentEnvelopes.one(bounded(done)) : DocumentEnvelopes.oneOf(bounded(done)));
            case find, aggregate -> ok.with(type(canonical), DocumentEnvelopes.many(bounded(done)));
            default ->
                written(done.said(DataWrite.Report.class)
                        .orElseThrow(() ->
                                new ProblemException(ProblemCode.INTERNAL, "the outcome of the write is not known")));
        };
    }

    private Content bounded(Response.Ready done) {
        return BoundedContent.of(done.content(), config.limits().bytes());
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
            case deleteOne, deleteMany -> value(200, object("deletedCount", count(written.deleted())));
            default -> {
                var counts =
                        object("matchedCount", count(written.matched()), "modifiedCount", count(written.modified()));
                written.upserted().ifPresent(id -> counts.append("upsertedId", id));
                yield value(200, counts);
            }
        };
    }

    /// The answer if the document of an id is missing, which is not a failure here; throws other failures.
    Response.Ready missing(Throwable failure) {
        if (byId && failure instanceof ProblemException e && e.problem().code() == ProblemCode.NOT_FOUND) {
            return switch (action) {
                case findOne -> Response.status(200).with(type(canonical), DocumentEnvelopes.one(Content.NONE));
                case deleteOne -> value(200, object("deletedCount", 0));
                default -> value(200, object("matchedCount", 0, "modifiedCount", 0));
            };
        }
        throw failure instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(failure);
    }

    private static BsonValue count(long number) {
        return number <= Integer.MAX_VALUE ? new BsonInt32((int) number) : new BsonInt64(number);
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
            var piece = source.next();
            left -= piece.remaining();
            if (left < 0) {
                throw new IOException("the answer is larger than its limit");
            }
            return piece;
        }

        @Override
        public void close() {
            source.close();
        }
    }

    /// Wraps documents of the REST API in the objects that clients of the Data API expect.
    private static final class DocumentEnvelopes {
        private static final byte[] MANY = "{\"documents\": ".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] ONE = "{\"document\": ".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] EMPTY = "{\"documents\": []}".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] NONE = "{\"document\": null}".getBytes(StandardCharsets.US_ASCII);

        private DocumentEnvelopes() {}

        /// @param array JSON
        static Content many(Content array) {
            return switch (array) {
                case Content.Bytes bytes -> around(MANY, bytes);
                case Content.Streamed streamed -> streamed.through(source -> new Around(MANY, source));
                case Content.None _ -> Content.Bytes.small(EMPTY);
                case Content.Push _ -> throw new IllegalStateException("not an array");
            };
        }

        /// @param document JSON
        static Content one(Content document) {
            return document instanceof Content.Bytes bytes ? around(ONE, bytes) : Content.Bytes.small(NONE);
        }

        /// @param array JSON, of no or one document
        static Content oneOf(Content array) {
            return switch (array) {
                case Content.Bytes(var json, var lease)
                when json.remaining() > 2 ->
                    around(ONE, new Content.Bytes(json.slice(json.position() + 1, json.remaining() - 2), lease));
                case Content.Streamed streamed -> streamed.through(source -> new Around(ONE, new Element(source)));
                default -> Content.Bytes.small(NONE);
            };
        }

        /// Of what is large there is no copy.
        private static Content around(byte[] opening, Content.Bytes json) {
            int length = opening.length + json.length() + 1;
            return json.length() > Lease.SMALL
                    ? json.streamed(0, source -> new Around(opening, source))
                    : json.through(
                            length,
                            bytes -> ByteBuffer.allocate(length)
                                    .put(opening)
                                    .put(bytes)
                                    .put((byte) '}')
                                    .flip());
        }

        /// The prefix, the value in parts, and the closing brace.
        private static final class Around implements Content.Source {
            private final byte[] opening;
            private final Content.Source value;
            private boolean begun;
            private boolean ended;

            Around(byte[] opening, Content.Source value) {
                this.opening = opening;
                this.value = value;
            }

            @Override
            public ByteBuffer next() throws Exception {
                if (!begun) {
                    begun = true;
                    return ByteBuffer.wrap(opening);
                }
                var piece = ended ? ByteBuffer.allocate(0) : value.next();
                if (piece.hasRemaining() || ended) {
                    return piece;
                }
                ended = true;
                return ByteBuffer.wrap(new byte[] {'}'});
            }

            @Override
            public void close() {
                value.close();
            }
        }

        /// The only element of an array: all but its first byte and its last one, which is known when
        /// nothing follows.
        private static final class Element implements Content.Source {
            private final Content.Source array;
            private ByteBuffer last = ByteBuffer.allocate(0);
            private ByteBuffer waiting = ByteBuffer.allocate(0);
            private boolean begun;

            Element(Content.Source array) {
                this.array = array;
            }

            @Override
            public ByteBuffer next() throws Exception {
                while (!waiting.hasRemaining()) {
                    var piece = array.next().slice();
                    if (!piece.hasRemaining()) {
                        return piece;
                    }
                    piece.position(begun ? 0 : 1);
                    begun = true;
                    if (piece.hasRemaining()) {
                        waiting = piece.slice(piece.position(), piece.remaining() - 1);
                        var before = last;
                        last = ByteBuffer.wrap(new byte[] {piece.get(piece.limit() - 1)});
                        if (before.hasRemaining()) {
                            return before;
                        }
                    }
                }
                var next = waiting;
                waiting = ByteBuffer.allocate(0);
                return next;
            }

            @Override
            public void close() {
                array.close();
            }
        }
    }
}
