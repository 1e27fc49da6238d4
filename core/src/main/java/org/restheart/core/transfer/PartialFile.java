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
    /// @throws TransferFailure if the folder of the target is not there
    static PartialFile of(Path target, String source, FileFormat format) throws IOException {
        var folder = target.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new TransferFailure("there is no folder " + folder);
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

    /// @throws TransferFailure if the file cannot be written; another attempt would not help
    void append(byte[] bytes, int length) {
        try {
            if (out == null) {
                out = new FileOutputStream(part.toFile(), true);
            }
            out.write(bytes, 0, length);
        } catch (IOException e) {
            throw new TransferFailure("cannot write: " + e.getMessage());
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
                        () -> new TransferFailure("documents without _id: there is no way to go on; remove " + part));
    }

    void finish() throws IOException {
        close();
        if (Files.exists(part)) {
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.write(target, new byte[0]);
        }
    }
}
