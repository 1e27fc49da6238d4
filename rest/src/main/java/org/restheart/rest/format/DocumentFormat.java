package org.restheart.rest.format;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.ContentTrees;
import org.restheart.http.Lease;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.Answer.Frame;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.mongo.find.InlineRead;
import org.restheart.mongo.find.LargeReplies;
import org.restheart.text.Words;

/// Writes the documents of one result, one after the other: those below, [Csv], and HAL. Confined to one result.
public interface DocumentFormat {
    /// How documents of the target are shown, if not as they are stored. Set by guards, and by plugins, whose
    /// code blocks and may depend on the request: what is shown is encoded for one request alone, on a thread
    /// of its own.
    Key<UnaryOperator<BsonDocument>> SHOWN = Key.named("shown documents");

    /// The request, which is shown documents in this form, and then in that of steps in front.
    static Request showing(Request request, UnaryOperator<BsonDocument> form) {
        var outer = request.attribute(SHOWN).orElse(UnaryOperator.identity());
        return request.with(SHOWN, document -> outer.apply(form.apply(document)));
    }

    /// A form that makes trees of documents, one at a time: the largest is owned before there is one.
    ///
    /// @param lease of the answer, to which the form is confined
    static UnaryOperator<BsonDocument> ownedTrees(Lease lease, UnaryOperator<BsonDocument> form) {
        var held = new AtomicLong();
        return document -> {
            long more = ContentTrees.weight(document) - held.get();
            if (more > 0) {
                if (!lease.tryHold(more) && !lease.tryContinue(more)) {
                    await(lease, more);
                }
                held.addAndGet(more);
            }
            return form.apply(document);
        };
    }

    /// A response that is sent in part would be cut.
    private static void await(Lease lease, long more) {
        if (lease.isBeyondShare(more)) {
            throw tooManyValues();
        }
        if (InlineRead.isBound()) {
            throw Lease.full();
        }
        LargeReplies.settled();
        lease.awaitExtension(more);
    }

    private static ProblemException tooManyValues() {
        return new ProblemException(
                ProblemCode.UNPROCESSABLE,
                "a document has more values than there is memory for where it is changed before it is sent, as in HAL: ask"
                        + " for some of its fields, by keys");
    }

    String mediaType();

    /// Writes the text before the first document.
    default void begin(Utf8Buffer out) {}

    /// @param index counts from 0
    void document(BsonDocument document, long index, Utf8Buffer out);

    /// Writes the text after the last document.
    ///
    /// @param count how many there were
    default void end(long count, Utf8Buffer out) {}

    @FunctionalInterface
    interface Mapping {
        /// @param index counts from 0
        BsonDocument map(BsonDocument document, long index);
    }

    /// This format, of other documents.
    default DocumentFormat mapped(Mapping mapping) {
        var format = this;
        return new DocumentFormat() {
            @Override
            public String mediaType() {
                return format.mediaType();
            }

            @Override
            public void begin(Utf8Buffer out) {
                format.begin(out);
            }

            @Override
            public void document(BsonDocument document, long index, Utf8Buffer out) {
                format.document(mapping.map(document, index), index, out);
            }

            @Override
            public void end(long count, Utf8Buffer out) {
                format.end(count, out);
            }
        };
    }

    /// An array of JSON, or what a service wants in place of it.
    static DocumentFormat of(Request request, JsonMode mode) {
        return Answer.of(request, Answer.Values.class).isPresent()
                ? new BsonBytes()
                : new JsonArray(
                        JsonEncoder.of(mode),
                        Answer.of(request, Answer.Json.class)
                                .map(Answer.Json::frame)
                                .orElse(Frame.ARRAY));
    }

    /// This format, of documents as the request is shown them.
    default DocumentFormat shownTo(Request request) {
        return request.attribute(SHOWN)
                .map(form -> mapped((document, _) -> form.apply(document)))
                .orElse(this);
    }

    /// This format, which refuses a result with too many documents instead of cutting it off unnoticed.
    ///
    /// @param most documents of the result
    default DocumentFormat bounded(int most) {
        return mapped((document, index) -> {
            if (index >= most) {
                throw JudgedRequests.tooManyDocuments(most).raise();
            }
            return document;
        });
    }

    /// One JSON array of all documents, perhaps within an object.
    record JsonArray(JsonEncoder encoder, Frame frame) implements DocumentFormat {
        @Override
        public String mediaType() {
            return Response.JSON;
        }

        @Override
        public void document(BsonDocument document, long index, Utf8Buffer out) {
            out.ascii(index > 0 ? ", " : frame.opening());
            encoder.encode(document, out);
        }

        @Override
        public void end(long count, Utf8Buffer out) {
            out.ascii(count > 0 ? frame.closing() : frame.none());
        }
    }

    /// One line of JSON per document (NDJSON, ndjson.org).
    record JsonLines(JsonEncoder encoder) implements DocumentFormat {
        public static final String MEDIA_TYPE = "application/x-ndjson";

        /// Other names of the same: none is registered.
        private static final Set<String> NAMES = Words.of("""
            application/x-ndjson application/ndjson application/jsonl application/x-jsonl application/jsonlines
            application/x-jsonlines
            """);

        /// Whether this is a media type of the format.
        ///
        /// @param mediaType without parameters, in lower case
        public static boolean isOne(String mediaType) {
            return NAMES.contains(mediaType);
        }

        public static JsonLines of(JsonMode mode) {
            return new JsonLines(JsonEncoder.of(mode));
        }

        @Override
        public String mediaType() {
            return MEDIA_TYPE;
        }

        @Override
        public void document(BsonDocument document, long index, Utf8Buffer out) {
            encoder.encode(document, out);
            out.put((byte) '\n');
        }
    }

    /// The documents' BSON, one document after the other, as `mongodump` and drivers read it (bsonspec.org).
    record BsonBytes() implements DocumentFormat {
        public static final String MEDIA_TYPE = "application/bson";

        @Override
        public String mediaType() {
            return MEDIA_TYPE;
        }

        @Override
        public void document(BsonDocument document, long index, Utf8Buffer out) {
            var raw = RawDocuments.encode(document);
            var bytes = raw.getByteBuffer().asNIO();
            out.put(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.arrayOffset() + bytes.limit());
        }
    }
}
