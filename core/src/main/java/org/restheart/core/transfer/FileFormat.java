package org.restheart.core.transfer;

import java.io.InputStream;
import java.util.Locale;
import org.restheart.mongo.format.BsonDocumentReader;
import org.restheart.mongo.format.Csv;
import org.restheart.mongo.format.CsvReader;
import org.restheart.mongo.format.DocumentFormat.BsonBytes;
import org.restheart.mongo.format.DocumentFormat.JsonLines;
import org.restheart.mongo.format.DocumentReader;
import org.restheart.mongo.format.JsonDocumentReader;
import org.restheart.mongo.format.JsonLinesReader;

enum FileFormat {
    NDJSON(JsonLines.MEDIA_TYPE),
    BSON(BsonBytes.MEDIA_TYPE),
    CSV(Csv.MEDIA_TYPE),
    JSON("application/json");

    private final String mediaType;

    FileFormat(String mediaType) {
        this.mediaType = mediaType;
    }

    String mediaType() {
        return mediaType;
    }

    /// The format by the extension of the name.
    ///
    /// @throws Transfer.Failure if it says nothing
    static FileFormat of(String file) {
        var name = file.toLowerCase(Locale.ROOT);
        if (name.endsWith(".jsonl")) {
            return NDJSON;
        }
        for (var format : values()) {
            if (name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
                return format;
            }
        }
        throw new Transfer.Failure(
                file + " has a name that tells no format: .ndjson, .json, .bson or .csv; else say --format");
    }

    DocumentReader reader(InputStream in) {
        return switch (this) {
            case NDJSON -> new JsonLinesReader(in);
            case BSON -> new BsonDocumentReader(in);
            case CSV -> new CsvReader(in);
            case JSON -> new JsonDocumentReader(in);
        };
    }
}
