package org.restheart.core.transfer;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
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
    JSON("application/json"),

    /// Is read only.
    TSV(Csv.TABS),

    /// Of `mongodump --archive`; is read only.
    ARCHIVE("application/octet-stream");

    private static final int GZIP_MAGIC = 0x1f8b;

    private final String mediaType;

    FileFormat(String mediaType) {
        this.mediaType = mediaType;
    }

    String mediaType() {
        return mediaType;
    }

    /// The format by the extension of the name, in front of `.gz`.
    ///
    /// @throws Transfer.Failure if it says nothing
    static FileFormat of(String file) {
        var name = file.toLowerCase(Locale.ROOT).replaceFirst("\\.gz$", "");
        if (name.endsWith(".jsonl")) {
            return NDJSON;
        }
        for (var format : values()) {
            if (name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
                return format;
            }
        }
        throw new Transfer.Failure(file
                + " has a name that tells no format: .ndjson, .json, .bson, .csv, .tsv or .archive; else say --format");
    }

    /// @param in compressed with gzip or not, whatever the file's name
    /// @param from the collection of an archive, as `db.collection`; empty for its only one
    DocumentReader reader(InputStream in, String from) throws IOException {
        var content = uncompressed(in);
        return switch (this) {
            case NDJSON -> new JsonLinesReader(content);
            case BSON -> new BsonDocumentReader(content);
            case CSV -> new CsvReader(content);
            case JSON -> new JsonDocumentReader(content);
            case TSV -> CsvReader.ofTabs(content);
            case ARCHIVE -> new ArchiveReader(content, from);
        };
    }

    private static InputStream uncompressed(InputStream in) throws IOException {
        var buffered = new BufferedInputStream(in, 64 << 10);
        buffered.mark(2);
        int magic = buffered.read() << 8 | buffered.read();
        buffered.reset();
        return magic == GZIP_MAGIC ? new BufferedInputStream(new GZIPInputStream(buffered, 64 << 10)) : buffered;
    }
}
