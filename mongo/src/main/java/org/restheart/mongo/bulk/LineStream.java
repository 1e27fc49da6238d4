package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.format.LineReader;

/// Splits the lines of a request into batches while they arrive, in memory independent of their number. Confined to one
/// request.
final class LineStream {
    /// The size of a batch, in lines; it is also bounded in bytes of BSON.
    private static final int MAX_LINES = 1_000;

    private static final int MAX_BYTES = 1 << 20;

    /// The JSON of a document of 16 MiB may be longer, but documents of that size are not sent as lines.
    private static final int MAX_LINE = 16 << 20;

    private final DataRequest request;
    private final LineReader lines;
    private final Supplier<BsonObjectId> ids = BsonObjectId::new;
    private final ObjectId etag = new ObjectId();

    /// @throws ProblemException 413 for content announced to be larger than the server takes
    LineStream(DataRequest request) {
        this.request = request;
        try {
            this.lines = new LineReader(request.http().body().stream(), MAX_LINE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The tag of all documents of the stream.
    ObjectId etag() {
        return etag;
    }

    /// The next lines; none at the end.
    ///
    /// @throws ProblemException 400 or 413 when the content is incomplete; the lines since the last batch are lost
    List<LineElement> next() {
        try {
            var batch = new ArrayList<LineElement>();
            long bytes = 0;
            while (batch.size() < MAX_LINES && bytes < MAX_BYTES) {
                var line = lines.next();
                if (line == null) {
                    break;
                }
                var element = element(line);
                batch.add(element);
                bytes += size(element);
            }
            return batch;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long size(LineElement element) {
        return switch (element) {
            case LineElement.Storable line ->
                line.element().document().getByteBuffer().remaining();
            case LineElement.Refused _ -> 0;
        };
    }

    private LineElement element(LineReader.Line line) {
        if (line.content() == null) {
            return new LineElement.Refused(
                    line.number(), Problem.of(CONTENT_TOO_LARGE, "the line is longer than 16 MiB"));
        }
        try {
            // wrapped in an array, so that a line that is an array or not a document is refused by the same rule
            var content = DataContent.checkIds(new BsonArray(List.of(JsonParser.parse(line.content()))));
            var document = content.asArray().getFirst().asDocument();
            return new LineElement.Storable(line.number(), Element.of(request, document, ids, etag));
        } catch (MalformedJsonException e) {
            return new LineElement.Refused(
                    line.number(), Problem.of(CONTENT_INVALID, "Invalid JSON. " + e.getMessage()));
        } catch (ProblemException e) {
            return new LineElement.Refused(line.number(), e.problem());
        }
    }
}
