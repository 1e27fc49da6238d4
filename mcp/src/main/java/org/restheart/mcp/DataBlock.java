package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
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

    /// Adds documents until the array ends or a limit is reached.
    ///
    /// @param array of documents, closed here
    /// @throws IOException if it cannot be read to its end, and any exception of its source; the block then has the
    ///     documents before
    void addAll(Content array) throws IOException {
        try {
            JsonElements.read(array, document -> {
                more = !add(document);
                return !more;
            });
        } catch (IOException | RuntimeException e) {
            more = true;
            capped.add("time");
            throw e;
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
        last = Optional.of(document);
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

    /// Whether there are more documents.
    boolean hasMore() {
        return more;
    }

    /// The last document, not shortened.
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
}
