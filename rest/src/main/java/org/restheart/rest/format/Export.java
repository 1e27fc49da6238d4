package org.restheart.rest.format;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.restheart.http.Accepted;
import org.restheart.http.Headers;
import org.restheart.rest.format.DocumentFormat.BsonBytes;
import org.restheart.rest.format.DocumentFormat.JsonLines;

/// Formats in which a whole result is streamed, requested with `Accept`.
public enum Export {
    LINES(JsonLines.MEDIA_TYPE),
    CSV(Csv.MEDIA_TYPE),
    BSON(BsonBytes.MEDIA_TYPE);

    /// The media types of other responses, which are sent whatever a client accepts.
    private static final List<String> ORDINARY =
            List.of("application/json", "application/hal+json", "application/*", "*/*");

    /// A part of the name of each export's media types.
    private static final List<String> MARKS = List.of("ndjson", "jsonl", "csv", "bson");

    private final String mediaType;

    Export(String mediaType) {
        this.mediaType = mediaType;
    }

    /// The export that the client prefers to ordinary responses; of equal weights the first counts.
    public static Optional<Export> wanted(Headers headers) {
        var accepted = headers.first("Accept");
        if (accepted.isEmpty()
                || (accepted.get().equals("*/*") && headers.all("Accept").size() == 1)) {
            return Optional.empty(); // the most frequent values
        }
        return Accepted.of(headers).preferred(Export::isKnown).flatMap(Export::of);
    }

    /// A fast check; if false, [#wanted] is empty, unless a client writes a media type in capitals.
    public static boolean mayBeWanted(Headers headers) {
        for (var accepted : headers.all("Accept")) {
            if (MARKS.stream().anyMatch(accepted::contains)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isKnown(String mediaType) {
        return ORDINARY.contains(mediaType) || of(mediaType).isPresent();
    }

    private static Optional<Export> of(String mediaType) {
        var usual = JsonLines.isOne(mediaType) ? JsonLines.MEDIA_TYPE : mediaType;
        return Arrays.stream(values())
                .filter(export -> export.mediaType.equals(usual))
                .findFirst();
    }
}
