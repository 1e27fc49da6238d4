package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.RawDocuments.Limits;
import org.restheart.http.Content;

/// The documents of a result, one per line, within limits. Confined to one result.
final class DataBlock {
    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);

    private final int maxDocuments;
    private final int maxBytes;
    private final Truncation.Extent extent;
    private final Truncation truncation = new Truncation();
    private final List<String> lines = new ArrayList<>();
    private final List<BsonValue> documents = new ArrayList<>();
    private final Set<String> capped = new TreeSet<>();
    private int bytes;
    private boolean more;
    private Optional<BsonDocument> last = Optional.empty();

    DataBlock(int maxDocuments, int maxBytes, int maxString) {
        this.maxDocuments = maxDocuments;
        this.maxBytes = maxBytes;
        this.extent = Truncation.Extent.usual(maxString);
    }

    /// Adds documents until they end or a limit is reached.
    ///
    /// @param documents in BSON, closed here
    /// @throws IOException if it cannot be read to its end, and any exception of its source; the block then
    ///     has the documents before
    void addAll(Content documents) throws IOException {
        try {
            read(documents, document -> {
                more = !add(document);
                last = more ? last : Optional.of(document);
                return !more;
            });
        } catch (IOException | RuntimeException e) {
            more = true;
            capped.add("time");
            throw e;
        }
    }

    /// Passes on documents in BSON that follow each other, until one is not accepted. Closes the content.
    ///
    /// @throws IOException if it cannot be read to its end, and any exception of its source
    static void read(Content documents, Predicate<BsonDocument> accepts) throws IOException {
        try (var in = new DataInputStream(Content.stream(documents))) {
            for (var head = in.readNBytes(Integer.BYTES); head.length > 0; head = in.readNBytes(Integer.BYTES)) {
                var bytes = Arrays.copyOf(
                        head,
                        ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt());
                in.readFully(bytes, head.length, bytes.length - head.length);
                if (!accepts.test(new RawBsonDocument(bytes))) {
                    return;
                }
            }
        }
    }

    /// @return false if the document does not fit
    boolean add(BsonDocument document) {
        if (lines.size() == maxDocuments) {
            return false;
        }
        var at = "/" + lines.size();
        var shown = truncation.shown(document, extent, at);
        var line = line(shown);
        if (bytes + length(line) > maxBytes) {
            capped.add("bytes");
            if (!lines.isEmpty()) {
                return false;
            }
            for (var smaller : extent.smaller()) {
                shown = truncation.shown(document, smaller, at);
                line = line(shown);
                if (length(line) <= maxBytes) {
                    break;
                }
            }
            if (length(line) > maxBytes) {
                line = "\"a document that is too large\"";
                shown = new BsonString("a document that is too large");
            }
        }
        lines.add(line);
        documents.add(shown);
        bytes += length(line);
        return true;
    }

    private static String line(BsonValue value) {
        return Fence.escaped(JSON.encodeToString(value));
    }

    /// Including the line break.
    private static int length(String line) {
        return line.getBytes(StandardCharsets.UTF_8).length + 1;
    }

    int count() {
        return lines.size();
    }

    int bytes() {
        return bytes;
    }

    /// Whether the limit of documents is reached.
    boolean isFull() {
        return lines.size() == maxDocuments;
    }

    boolean hasMore() {
        return more;
    }

    /// The last document of content, not shortened.
    Optional<BsonDocument> last() {
        return last;
    }

    List<String> cut() {
        return truncation.cut();
    }

    /// The limits that were reached: `documents`, `bytes`, `time`.
    void capped(String bound) {
        capped.add(bound);
    }

    Set<String> capped() {
        return capped;
    }

    /// The lines, for a fence.
    String text() {
        return String.join("\n", lines);
    }

    List<BsonValue> documents() {
        return documents;
    }

    /// The numbers of the block.
    BsonDocument numbers() {
        return object(
                "returned", count(),
                "more", more,
                "bytes", bytes,
                "cut", cut(),
                "capped", capped);
    }

    /// Shortens values to fit the context of a model, and records what was cut. Confined to one result.
    static final class Truncation {
        private static final int MAX_NOTES = 20;
        private static final int NUMBERS_SHOWN = 8;

        private final List<String> cut = new ArrayList<>();

        /// Limits of a value.
        ///
        /// @param string characters
        /// @param array elements
        /// @param fields of an object
        record Extent(int string, int array, int binary, int depth, int fields) {
            static Extent usual(int maxString) {
                return new Extent(maxString, 50, 64, 8, Integer.MAX_VALUE);
            }

            Limits limits() {
                return new Limits(string, array, binary, depth);
            }

            /// Decreasing limits, tried in order until a document fits. The last one fits any document.
            List<Extent> smaller() {
                return List.of(
                        new Extent(Math.min(string, 200), 8, 16, 6, 100),
                        new Extent(Math.min(string, 60), 3, 16, 4, 40),
                        new Extent(Math.min(string, 30), 2, 16, 2, 20));
            }
        }

        /// JSON pointers to cut values; only the first ones.
        List<String> cut() {
            return List.copyOf(cut);
        }

        /// @param pointer to the value
        BsonValue shown(BsonValue value, Extent extent, String pointer) {
            boolean fits = extent.fields() == Integer.MAX_VALUE
                    && value instanceof RawBsonDocument document
                    && RawDocuments.isWithin(document, extent.limits()); // most do, and need not be decoded
            return fits ? value : shown(value, extent, pointer, 0);
        }

        private BsonValue shown(BsonValue value, Extent extent, String at, int depth) {
            return switch (value.getBsonType()) {
                case STRING -> text(value.asString(), extent, at);
                case ARRAY -> array(value.asArray(), extent, at, depth);
                case DOCUMENT -> object(value.asDocument(), extent, at, depth);
                case BINARY -> {
                    int length = value.asBinary().getData().length;
                    if (length <= extent.binary()) {
                        yield value;
                    }
                    note(at);
                    yield new BsonDocument("$binary", new BsonString("… " + grouped(length) + " bytes"));
                }
                default -> value;
            };
        }

        private BsonValue text(BsonString value, Extent extent, String at) {
            var text = value.getValue();
            if (text.length() <= extent.string()) {
                return value;
            }
            note(at);
            int end =
                    Character.isHighSurrogate(text.charAt(extent.string() - 1)) ? extent.string() - 1 : extent.string();
            return new BsonString(text.substring(0, end) + "… (" + grouped(text.length()) + ")");
        }

        private BsonValue array(BsonArray array, Extent extent, String at, int depth) {
            if (depth >= extent.depth()) {
                return tooDeep(at);
            }
            boolean isVector = array.size() > extent.array() && array.stream().allMatch(BsonValue::isNumber);
            int kept = array.size() <= extent.array()
                    ? array.size()
                    : isVector ? Math.min(NUMBERS_SHOWN, extent.array()) : extent.array();
            var shown = new BsonArray(kept + 1);
            for (int i = 0; i < kept; i++) {
                shown.add(shown(array.get(i), extent, at + "/" + i, depth + 1));
            }
            if (kept < array.size()) {
                note(at);
                shown.add(new BsonString("… " + grouped(array.size() - kept) + " more"));
            }
            return shown;
        }

        private BsonValue object(BsonDocument object, Extent extent, String at, int depth) {
            if (depth >= extent.depth()) {
                return tooDeep(at);
            }
            var shown = new BsonDocument();
            for (var member : object.entrySet()) {
                if (shown.size() == extent.fields()) {
                    note(at);
                    shown.append("…", new BsonString(grouped(object.size() - extent.fields()) + " more fields"));
                    break;
                }
                var name = extent.fields() == Integer.MAX_VALUE ? member.getKey() : Fence.cut(member.getKey());
                shown.append(name, shown(member.getValue(), extent, at + "/" + escaped(member.getKey()), depth + 1));
            }
            return shown;
        }

        private BsonValue tooDeep(String at) {
            note(at);
            return new BsonString("…");
        }

        private void note(String at) {
            if (cut.size() < MAX_NOTES && !cut.contains(at)) {
                cut.add(at);
            }
        }

        /// Escaped for a JSON pointer (RFC 6901, 3).
        private static String escaped(String name) {
            return Fence.cut(name).replace("~", "~0").replace("/", "~1");
        }

        private static String grouped(int number) {
            return String.format(Locale.ROOT, "%,d", number);
        }
    }
}
