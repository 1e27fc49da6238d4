package org.restheart.rest.importing;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Problem;

/// Documents of an import that are written together. Their ids and their entity tag are determined before the
/// first attempt, so that a later attempt recognizes the documents that an earlier one has stored. Confined to
/// one thread.
final class ImportPart {
    /// The field of a stored part with the time of the first attempt to write it.
    static final String FIRST_ATTEMPT = "tried";

    private static final int MAX_DOCUMENTS = 1_000;
    private static final int MAX_BYTES = 1 << 20;

    /// In bytes; less than MongoDB's limit of 16 MiB, which applies to the part as a whole.
    private static final int MAX_DOCUMENT = 15 << 20;

    /// Approximate sizes in MongoDB of a part without content, and of the entries for a document and for a
    /// refused one.
    private static final long BYTES_OF_PART = 512;

    private static final long BYTES_OF_LINE = 24;
    private static final long BYTES_OF_REFUSED = 96;

    private final int number;
    private final ObjectId tag;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final List<Long> lines = new ArrayList<>();
    private final List<BsonDocument> refused = new ArrayList<>();

    /// The characters of all messages.
    private int messageLength;

    /// When it was first tried to be written; null before.
    private @Nullable Instant firstAttempt;

    /// The approximate size of a stored part when it was read; 0 for a new one.
    private long storedBytes;

    private ImportPart(int number, ObjectId tag) {
        this.number = number;
        this.tag = tag;
    }

    static ImportPart empty(int number) {
        return new ImportPart(number, new ObjectId());
    }

    static ImportPart of(BsonDocument stored) {
        var part = new ImportPart(
                stored.getInt32("n").getValue(), stored.getObjectId("tag").getValue());
        part.content.writeBytes(stored.getBinary("content").getData());
        stored.getArray("lines").forEach(line -> part.lines.add(line.asInt64().getValue()));
        stored.getArray("refused").forEach(error -> part.add(error.asDocument()));
        part.storedBytes = part.bytes();
        if (stored.get(FIRST_ATTEMPT) instanceof BsonDateTime first) {
            part.firstAttempt = Instant.ofEpochMilli(first.getValue());
        }
        return part;
    }

    BsonDocument toDocument(String job) {
        return new BsonDocument("job", new BsonString(job))
                .append("n", new BsonInt32(number))
                .append("tag", new BsonObjectId(tag))
                .append("content", new BsonBinary(content.toByteArray()))
                .append(
                        "lines",
                        new BsonArray(lines.stream().map(BsonInt64::new).toList()))
                .append("refused", new BsonArray(refused));
    }

    /// When it was first tried to be written, by whichever gateway; empty before.
    Optional<Instant> firstAttempt() {
        return Optional.ofNullable(firstAttempt);
    }

    /// An attempt to write it has failed.
    void failed(Instant begun) {
        if (firstAttempt == null) {
            firstAttempt = begun;
        }
    }

    /// @param line of the content, from 1
    void add(long line, BsonDocument document) {
        var whole = document;
        if (!document.containsKey("_id")) {
            whole = new BsonDocument("_id", new BsonObjectId());
            whole.putAll(document);
        }
        var bytes = RawDocuments.encode(whole).getByteBuffer().asNIO();
        if (bytes.remaining() > MAX_DOCUMENT) {
            refuse(line, 413, "the document is larger than 15 MiB: store it by a request of its own");
            return;
        }
        content.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        lines.add(line);
    }

    void refuse(long line, Problem problem) {
        refuse(line, problem.status(), problem.message());
    }

    void refuse(long line, int status, String message) {
        add(new BsonDocument("line", new BsonInt64(line))
                .append("httpStatus", new BsonInt32(status))
                .append("message", new BsonString(message)));
    }

    private void add(BsonDocument error) {
        messageLength += error.getString("message").getValue().length();
        refused.add(error);
    }

    /// The approximate size of the stored part.
    long bytes() {
        return BYTES_OF_PART + content.size() + BYTES_OF_LINE * lines.size() + bytesOfRefused();
    }

    private long bytesOfRefused() {
        return messageLength + BYTES_OF_REFUSED * refused.size();
    }

    /// The change of the stored size when the part is done: its content is removed, and its refused documents
    /// are listed.
    long growth(boolean listed) {
        return BYTES_OF_PART + (listed ? bytesOfRefused() : 0) - storedBytes;
    }

    boolean isFull() {
        return lines.size() + refused.size() >= MAX_DOCUMENTS || content.size() + messageLength >= MAX_BYTES;
    }

    boolean isEmpty() {
        return lines.isEmpty() && refused.isEmpty();
    }

    int number() {
        return number;
    }

    ObjectId tag() {
        return tag;
    }

    byte[] content() {
        return content.toByteArray();
    }

    /// The number of documents to be written.
    int size() {
        return lines.size();
    }

    /// @param index among the documents to be written, from 0
    long line(int index) {
        return lines.get(index);
    }

    List<BsonDocument> refused() {
        return refused;
    }
}
