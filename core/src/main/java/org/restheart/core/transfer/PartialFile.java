package org.restheart.core.transfer;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Optional;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.http.Digests;

/// The file of an incomplete export. Its name has a hash of the query and the format, so that results of
/// different queries are not mixed. Confined to one thread.
final class PartialFile {
    private final Path target;
    private final Path part;
    private final FileFormat format;
    private final DocumentCounter counter;
    private Optional<BsonValue> lastId = Optional.empty();
    private @Nullable OutputStream out;

    private PartialFile(Path target, Path part, FileFormat format) {
        this.target = target;
        this.part = part;
        this.format = format;
        this.counter = new DocumentCounter(format);
    }

    /// The file of an earlier run, truncated after its last complete document, or an empty one.
    ///
    /// @param source identifies the query and the format
    /// @throws Transfer.Failure if the folder of the target is not there
    static PartialFile of(Path target, String source, FileFormat format) throws IOException {
        var folder = target.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new Transfer.Failure("there is no folder " + folder);
        }
        var name = target.getFileName() + "." + digest(source) + ".part";
        var partial = new PartialFile(target, target.resolveSibling(name), format);
        partial.recover();
        return partial;
    }

    private static String digest(String source) {
        return HexFormat.of().formatHex(Digests.sha256().digest(source.getBytes(StandardCharsets.UTF_8)), 0, 4);
    }

    long documents() {
        return counter.documents();
    }

    /// The `_id` of the last complete document at the last [#recover()]; empty if it has none.
    Optional<BsonValue> lastId() {
        return lastId;
    }

    /// @throws Transfer.Failure if the file cannot be written; another attempt would not help
    void append(byte[] bytes, int length) {
        try {
            if (out == null) {
                out = new FileOutputStream(part.toFile(), true);
            }
            out.write(bytes, 0, length);
        } catch (IOException e) {
            throw new Transfer.Failure("cannot write: " + e.getMessage());
        }
        counter.add(bytes, length);
    }

    private void close() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
    }

    void clear() throws IOException {
        close();
        Files.deleteIfExists(part);
        counter.reset();
        lastId = Optional.empty();
    }

    /// Truncates the file after the last complete document, and reads that document's id.
    void recover() throws IOException {
        close();
        counter.reset();
        lastId = Optional.empty();
        if (!Files.exists(part)) {
            return;
        }
        if (format == FileFormat.CSV) {
            clear();
            return;
        }
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(part)))) {
            var buffer = new byte[64 << 10];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                counter.add(buffer, read);
            }
        }
        try (var file = FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file.truncate(counter.end());
            if (counter.documents() > 0) {
                lastId = Optional.of(id(file));
            }
        }
        counter.truncated();
    }

    private BsonValue id(FileChannel file) throws IOException {
        var last = ByteBuffer.allocate((int) (counter.end() - counter.lastBegin()));
        if (file.read(last, counter.lastBegin()) < last.capacity()) {
            throw new EOFException();
        }
        var document = format == FileFormat.BSON
                ? new RawBsonDocument(last.array())
                : JsonParser.parse(last.array()).asDocument();
        return Optional.ofNullable(document.get("_id"))
                .orElseThrow(
                        () -> new Transfer.Failure("documents without _id: there is no way to go on; remove " + part));
    }

    void finish() throws IOException {
        close();
        if (Files.exists(part)) {
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.write(target, new byte[0]);
        }
    }

    /// Counts the documents in a stream of bytes: lines, rows of CSV after the header, or BSON documents by their
    /// length prefixes. Confined to one thread.
    private static final class DocumentCounter {
        private final FileFormat format;
        private long position;
        private long documents;
        private long begin;
        private long lastBegin;
        private long length;
        private boolean quoted;

        DocumentCounter(FileFormat format) {
            this.format = format;
        }

        void add(byte[] bytes, int count) {
            for (int i = 0; i < count; i++) {
                position++;
                if (ends(bytes[i])) {
                    lastBegin = begin;
                    begin = position;
                    length = 0;
                    documents++;
                }
            }
        }

        private boolean ends(byte next) {
            return switch (format) {
                case BSON -> endsBson(next);
                case CSV -> endsRow(next);
                case NDJSON, JSON, TSV, ARCHIVE -> next == '\n';
            };
        }

        private boolean endsRow(byte next) {
            quoted ^= next == '"'; // one within a cell is doubled
            return next == '\n' && !quoted;
        }

        private boolean endsBson(byte next) {
            long at = position - begin; // from 1
            if (at <= Integer.BYTES) {
                length |= (next & 0xffL) << (8 * (at - 1));
            }
            return at > Integer.BYTES && at >= length;
        }

        long documents() {
            return format == FileFormat.CSV ? Math.max(0, documents - 1) : documents;
        }

        /// The offset after the last complete document, in bytes.
        long end() {
            return begin;
        }

        /// The offset of the last complete document, in bytes.
        long lastBegin() {
            return lastBegin;
        }

        /// Called when the bytes after the last complete document have been removed.
        void truncated() {
            position = begin;
            length = 0;
        }

        void reset() {
            position = 0;
            documents = 0;
            begin = 0;
            lastBegin = 0;
            length = 0;
            quoted = false;
        }
    }
}
