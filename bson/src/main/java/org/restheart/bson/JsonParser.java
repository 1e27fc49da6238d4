package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.bson.BsonValue;
import org.bson.RawBsonArray;
import org.bson.RawBsonDocument;
import org.restheart.bson.StrictJson.NotStrict;

/// JSON → BSON, with the result that the MongoDB driver's own parser would give: Extended JSON v1 and v2 and
/// the `mongo` shell's dialect. Plain JSON takes one pass over the bytes and builds no tree.
///
/// Text behind a document or an array is ignored, as by the driver, unless it holds data (a brace, a bracket
/// or a colon): of `{"a": 1}, {"a": 2}` the second document would be lost without a word.
///
/// Bounds: 100 levels of nesting, 16 MiB of BSON for each document. Stricter than the driver in what could
/// not be stored anyway: text that is not UTF-8, half surrogate pairs and U+0000 in field names are refused.
public final class JsonParser {
    private JsonParser() {}

    /// The first value in the text; documents and arrays are views of BSON bytes (`RawBsonDocument`,
    /// `RawBsonArray`) and cannot be changed.
    ///
    /// @throws MalformedJsonException if there is none, or one that is not accepted
    public static BsonValue parse(byte[] utf8) {
        return value(read(utf8, Tail.WITHOUT_DATA, BsonSink.MAX_DOCUMENT + 4L * utf8.length));
    }

    /// As [#parse(byte\[\])], for a value that is to be stored in a document: an array has 16 MiB at most, too.
    public static BsonValue parseMember(byte[] utf8) {
        return value(read(utf8, Tail.WITHOUT_DATA, BsonSink.MAX_DOCUMENT));
    }

    /// As [#parseMember], but nothing may follow a document or an array.
    ///
    /// @throws MalformedJsonException also if something does
    public static BsonValue parseWhole(byte[] utf8) {
        return value(read(utf8, Tail.BLANK, BsonSink.MAX_DOCUMENT));
    }

    private static BsonValue value(BsonSink sink) {
        int length = sink.out.length - BsonSink.ROOT - 1;
        return switch (sink.rootType()) {
            case BsonTypes.DOCUMENT -> new RawBsonDocument(sink.out.bytes, BsonSink.ROOT, length);
            case BsonTypes.ARRAY -> new RawBsonArray(sink.out.bytes, BsonSink.ROOT, length);
            default -> Objects.requireNonNull(new RawBsonDocument(sink.out.bytes, 0, sink.out.length).get(""));
        };
    }

    /// The value that the whole text is, such as a field of a form; empty if there is none, or several with
    /// commas between them.
    ///
    /// @throws MalformedJsonException if there is something else
    public static Optional<BsonValue> parseOne(String text) {
        var values =
                parseWhole(("[" + text + "]").getBytes(StandardCharsets.UTF_8)).asArray();
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    /// The first value in a short text, such as a query parameter, as a tree that can be changed.
    ///
    /// @throws MalformedJsonException if there is none, or one that is not accepted
    public static BsonValue parse(String json) {
        if (JsonStrings.hasLoneSurrogate(json)) {
            throw new MalformedJsonException("the text contains half a surrogate pair");
        }
        return RawDocuments.toTree(parseMember(json.getBytes(StandardCharsets.UTF_8)));
    }

    /// As [#parse(byte\[\])], for texts that have to be documents.
    ///
    /// @throws MalformedJsonException also if the text is a value of another type
    public static RawBsonDocument parseDocument(byte[] utf8) {
        if (parse(utf8) instanceof RawBsonDocument document) {
            return document;
        }
        throw new MalformedJsonException("the value is not a document");
    }

    /// @param limit of an array at the root, in bytes
    private static BsonSink read(byte[] utf8, Tail tail, long limit) {
        var sink = new BsonSink(utf8.length, limit);
        try {
            tail.check(utf8, StrictJson.read(utf8, sink));
        } catch (NotStrict _) {
            sink = new BsonSink(utf8.length, limit);
            DriverJson.read(utf8, sink, tail);
        }
        sink.finish();
        return sink;
    }

    /// What may follow a document or an array in a text, besides blanks.
    enum Tail {
        /// Nothing.
        BLANK,

        /// What cannot be a part of the data: a word, a comma, one brace too many.
        WITHOUT_DATA;

        /// @param end the index behind the value
        /// @throws MalformedJsonException if what follows may not, or is not UTF-8
        void check(byte[] utf8, int end) {
            for (int i = end; i < utf8.length; i++) {
                if (!StrictJson.isBlank(utf8[i])) {
                    check(DriverJson.decode(utf8), new String(utf8, 0, end, StandardCharsets.UTF_8).length());
                    return;
                }
            }
        }

        /// @param end the index behind the value
        /// @throws MalformedJsonException if what follows may not
        void check(String text, int end) {
            int start = end;
            while (start < text.length() && Character.isWhitespace(text.charAt(start))) {
                start++;
            }
            if (start < text.length() && (this == BLANK || holdsData(text, start))) {
                throw MalformedJsonException.afterTheEnd(DriverJson.StopPosition.at(text, start + 1));
            }
        }

        private static boolean holdsData(String text, int start) {
            return text.substring(start).chars().anyMatch(c -> c == '{' || c == '[' || c == ':');
        }
    }
}
