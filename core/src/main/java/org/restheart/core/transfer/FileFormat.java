package org.restheart.core.transfer;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.rest.format.BsonDocumentReader;
import org.restheart.rest.format.Csv;
import org.restheart.rest.format.CsvReader;
import org.restheart.rest.format.DocumentFormat.BsonBytes;
import org.restheart.rest.format.DocumentFormat.JsonLines;
import org.restheart.rest.format.DocumentReader;
import org.restheart.rest.format.JsonDocumentReader;
import org.restheart.rest.format.JsonLinesReader;

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

    /// Reads the documents of one collection from an archive of `mongodump --archive`. Its format is
    /// described in the source of the MongoDB Database Tools (`common/archive`): a magic number; the
    /// header and a document about each collection, up to a terminator; then blocks of documents of one
    /// collection each, which take turns, each behind a document that names it, up to a terminator; the
    /// last block of each collection says so. Checksums are not verified. Confined to one thread.
    static final class ArchiveReader implements DocumentReader {
        private static final int MAGIC = 0x8199e26d;
        private static final int TERMINATOR = -1;

        private final InputStream in;
        private final String from;
        private long number;
        private boolean inBlock;
        private boolean isOver;

        /// @param from `db.collection`; empty for the only one
        /// @throws Transfer.Failure if it is no archive, or has no such collection
        ArchiveReader(InputStream in, String from) throws IOException {
            this.in = in;
            if (integer() != MAGIC) {
                throw new Transfer.Failure("the file is no archive of mongodump");
            }
            var namespaces = namespaces();
            if (from.isEmpty() ? namespaces.size() != 1 : !namespaces.contains(from)) {
                throw new Transfer.Failure("the archive has the collections " + String.join(", ", namespaces)
                        + ": say one of them with --from");
            }
            this.from = from.isEmpty() ? namespaces.getFirst() : from;
        }

        /// Those with documents of their own.
        private List<String> namespaces() throws IOException {
            var namespaces = new ArrayList<String>();
            block(); // the header
            for (var about = block(); about != null; about = block()) {
                if (!text(about, "type").equals("view")) {
                    namespaces.add(namespace(about));
                }
            }
            return namespaces;
        }

        @Override
        public @Nullable Entry next() throws IOException {
            while (true) {
                int length = inBlock ? integer() : beginBlock();
                if (length == 0) {
                    return null;
                }
                if (length == TERMINATOR) {
                    inBlock = false;
                } else {
                    return switch (document(length)) {
                        case Entry.Parsed parsed -> new Entry.Parsed(++number, parsed.value());
                        case Entry.Malformed malformed -> new Entry.Malformed(++number, malformed.problem());
                    };
                }
            }
        }

        /// The length of the next block's first document; zero at the end of the archive.
        private int beginBlock() throws IOException {
            while (true) {
                var head = in.readNBytes(Integer.BYTES);
                if (head.length == 0 && isOver) {
                    return 0;
                }
                var header = parsed(document(integer(head)));
                int length = integer();
                if (namespace(header).equals(from)) {
                    isOver = BsonBoolean.TRUE.equals(header.get("EOF"));
                    inBlock = !isOver;
                }
                if (inBlock) {
                    return length;
                }
                for (; length != TERMINATOR; length = integer()) {
                    bytes(length);
                }
            }
        }

        /// The next document; null for a terminator.
        private @Nullable BsonDocument block() throws IOException {
            int length = integer();
            return length == TERMINATOR ? null : parsed(document(length));
        }

        private static BsonDocument parsed(Entry entry) {
            if (entry instanceof Entry.Parsed parsed && parsed.value().isDocument()) {
                return parsed.value().asDocument();
            }
            throw new Transfer.Failure("the archive is damaged");
        }

        private Entry document(int length) throws IOException {
            var entry = new BsonDocumentReader(new ByteArrayInputStream(bytes(length))).next();
            if (entry == null) {
                throw new Transfer.Failure("the archive is damaged");
            }
            return entry;
        }

        /// The document of this length, which has been read.
        private byte[] bytes(int length) throws IOException {
            if (length <= Integer.BYTES || length > MAX_LENGTH) {
                throw new Transfer.Failure("the archive is damaged");
            }
            var bytes =
                    ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).putInt(length);
            if (in.readNBytes(bytes.array(), Integer.BYTES, length - Integer.BYTES) < length - Integer.BYTES) {
                throw new EOFException("the archive does not end");
            }
            return bytes.array();
        }

        private int integer() throws IOException {
            return integer(in.readNBytes(Integer.BYTES));
        }

        private static int integer(byte[] bytes) throws IOException {
            if (bytes.length < Integer.BYTES) {
                throw new EOFException("the archive does not end");
            }
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt();
        }

        private static String namespace(BsonDocument about) {
            return text(about, "db") + "." + text(about, "collection");
        }

        private static String text(BsonDocument about, String name) {
            return about.get(name) instanceof BsonString text ? text.getValue() : "";
        }
    }
}
