package org.restheart.core.transfer;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.restheart.bson.RawDocuments;

/// Documents that are sent together. Confined to one thread.
final class ImportBatch {
    private static final int MAX_DOCUMENTS = 1_000;
    private static final int MAX_BYTES = 1 << 20;

    private final List<Long> numbers = new ArrayList<>();
    private final Set<Integer> generated = new HashSet<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final List<BsonDocument> errors = new ArrayList<>();

    /// @param number of the document in the file
    /// @param id for a document without one
    void add(long number, BsonDocument document, ObjectId id) {
        var sent = document;
        if (!document.containsKey("_id")) {
            sent = new BsonDocument("_id", new BsonObjectId(id));
            sent.putAll(document);
            generated.add(numbers.size());
        }
        var bytes = RawDocuments.encode(sent).getByteBuffer().asNIO();
        content.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        numbers.add(number);
    }

    void refuse(long number, int status, String message) {
        errors.add(new BsonDocument("line", new BsonInt64(number))
                .append("httpStatus", new BsonInt32(status))
                .append("message", new BsonString(message)));
    }

    boolean isFull() {
        return numbers.size() + errors.size() >= MAX_DOCUMENTS || content.size() >= MAX_BYTES;
    }

    int size() {
        return numbers.size();
    }

    byte[] content() {
        return content.toByteArray();
    }

    /// @param index in the batch, from 0
    long number(int index) {
        return numbers.get(index);
    }

    boolean isGenerated(int index) {
        return generated.contains(index);
    }

    List<BsonDocument> errors() {
        return errors;
    }

    void clear() {
        numbers.clear();
        generated.clear();
        content.reset();
        errors.clear();
    }
}
