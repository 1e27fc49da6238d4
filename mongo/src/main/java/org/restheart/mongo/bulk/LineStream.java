package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.format.DocumentReader;

/// Splits the lines of a request, or its BSON documents, into batches while they arrive, in memory independent of their
/// number. Confined to one request.
final class LineStream {
    /// The size of a batch, in lines; it is also bounded in bytes of BSON.
    private static final int MAX_LINES = 1_000;

    private static final int MAX_BYTES = 1 << 20;

    private final DataRequest request;
    private final DocumentReader lines;
    private final Supplier<BsonObjectId> ids = BsonObjectId::new;
    private final ObjectId etag;

    /// @throws ProblemException 413 for content announced to be larger than the server takes
    LineStream(DataRequest request) {
        this.request = request;
        this.etag = BatchTag.of(request.http());
        try {
            this.lines = DataContent.documents(request.http(), request.http().body().stream());
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
            case LineElement.Refused refused -> refused.problem().message().length();
        };
    }

    private LineElement element(DocumentReader.Entry entry) {
        return switch (entry) {
            case DocumentReader.Entry.Malformed(var line, var problem) -> new LineElement.Refused(line, problem);
            case DocumentReader.Entry.Parsed(var line, var value) -> element(line, value);
        };
    }

    private LineElement element(long line, BsonValue value) {
        if (value.isArray()) {
            return new LineElement.Refused(
                    line,
                    Problem.of(
                            CONTENT_INVALID,
                            "the line is an array; each document needs a line of its own, an array goes as"
                                    + " application/json"));
        }
        try {
            // wrapped in an array, so that a line that is not a document is refused by the same rule
            var content = DataContent.checkIds(new BsonArray(List.of(value)));
            var document = content.asArray().getFirst().asDocument();
            return new LineElement.Storable(line, Element.of(request, document, ids, etag));
        } catch (ProblemException e) {
            return new LineElement.Refused(line, e.problem());
        }
    }

    /// One parsed line of a stream.
    sealed interface LineElement {
        /// From 1.
        long line();

        record Storable(long line, Element element) implements LineElement {}

        /// A line that cannot be stored.
        record Refused(long line, Problem problem) implements LineElement {}
    }
}
