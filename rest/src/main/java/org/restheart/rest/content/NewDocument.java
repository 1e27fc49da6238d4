package org.restheart.rest.content;

import static org.restheart.rest.content.DataContent.invalid;

import java.time.Instant;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.FieldPath;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.mongo.write.EntityTags;

/// Converts the content of a `POST` or `PUT` to the document that is stored whole.
public final class NewDocument {
    /// MongoDB's own limit (manual, "MongoDB Limits and Thresholds").
    private static final int MAX_BYTES = 16 * 1024 * 1024;

    /// The property with the aggregations of a collection, which are always stored with escaped keys.
    static final String PIPELINES = "aggrs";

    private NewDocument() {}

    /// The fields of a document: dotted keys expanded, `$currentDate` resolved, the server's fields merged in. A copy;
    /// the content is not changed.
    ///
    /// @throws org.restheart.http.ProblemException 400
    public static BsonDocument of(ServerFields fields, BsonDocument content) {
        var document = stored(content, Instant.now());
        document.putAll(fields.added());
        fields.merged().forEach((path, value) -> put(document, path, value));
        return document;
    }

    /// Content merged with the fields of the access rule, without expanding keys. A copy.
    static BsonDocument merged(ServerFields fields, BsonDocument content) {
        var merged = copy(content);
        fields.merged().forEach((path, value) -> put(merged, path, value));
        return merged;
    }

    /// A mutable copy of the document itself: content is shared and may be raw bytes.
    static BsonDocument copy(BsonDocument document) {
        var copy = new BsonDocument(document.size() + 2);
        copy.putAll(document);
        return copy;
    }

    /// Sets a value at a dotted path, replacing other values on the path by documents.
    ///
    /// @param document changed
    static void put(BsonDocument document, String path, BsonValue value) {
        var names = DottedKeys.read(path, FieldPath::steps);
        var at = document;
        for (var name : names.subList(0, names.size() - 1)) {
            var child = at.get(name);
            var next = child != null && child.isDocument() ? copy(child.asDocument()) : new BsonDocument();
            at.put(name, next);
            at = next;
        }
        at.put(names.getLast(), value);
    }

    /// Merges the fields of an access rule into a row.
    ///
    /// @param row changed
    /// @param whole whether the row is stored whole; otherwise it is the operand of `$set`
    public static void merge(BsonDocument row, BsonDocument merge, boolean whole) {
        merge.forEach((path, value) -> {
            row.keySet().removeIf(key -> (!whole || key.indexOf('.') >= 0) && UpdateOperators.overlap(key, path));
            if (whole) {
                put(row, path, value);
            } else {
                row.put(path, value);
            }
        });
    }

    /// @throws org.restheart.http.ProblemException 400
    public static BsonDocument properties(ServerFields fields, BsonDocument content) {
        var properties = of(fields, content);
        properties.computeIfPresent(PIPELINES, (_, value) -> EscapedKeys.escape(value));
        properties.remove("_id");
        properties.remove(EntityTags.FIELD);
        return properties;
    }

    private static BsonDocument stored(BsonDocument content, Instant now) {
        var fields = copy(content);
        for (var key : content.keySet()) {
            if (key.startsWith("$")) {
                fields.remove(key);
                switch (key) {
                    case UpdateOperators.CURRENT_DATE -> fields.putAll(resolveDates(content.get(key), now));
                    default -> throw misplaced(key);
                }
            }
        }
        return DottedKeys.expand(fields);
    }

    private static RuntimeException misplaced(String key) {
        return UpdateOperators.isOne(key)
                ? invalid("update operators (but $currentDate) cannot be used on POST and PUT requests")
                : UpdateOperators.unknown(key);
    }

    /// The document with its id first and its tag last.
    public static BsonDocument tagged(BsonValue id, BsonDocument fields, ObjectId etag) {
        var document = new BsonDocument(fields.size() + 2).append("_id", id);
        fields.forEach((name, value) -> {
            if (!name.equals("_id") && !name.equals(EntityTags.FIELD)) {
                document.append(name, value);
            }
        });
        return document.append(EntityTags.FIELD, new BsonObjectId(etag));
    }

    /// @throws org.restheart.http.ProblemException 400 for names that BSON cannot contain, 413 for more than 16 MiB
    public static RawBsonDocument encode(BsonDocument document) {
        RawBsonDocument encoded;
        try {
            encoded = RawDocuments.encode(document);
        } catch (BsonSerializationException e) {
            throw invalid("Invalid BSON: " + e.getMessage());
        }
        return checkSize(encoded);
    }

    /// @throws org.restheart.http.ProblemException 413
    static RawBsonDocument checkSize(RawBsonDocument encoded) {
        if (encoded.getByteLength() > MAX_BYTES) {
            throw new ProblemException(ProblemCode.CONTENT_TOO_LARGE, "the document is larger than 16 MiB");
        }
        return encoded;
    }

    /// The fields named in the operand of `$currentDate`, with their values: MongoDB does not support it in content
    /// that is stored whole.
    private static BsonDocument resolveDates(BsonValue operand, Instant now) {
        if (!operand.isDocument()) {
            throw wrongDate();
        }
        var fields = new BsonDocument();
        operand.asDocument().forEach((name, type) -> fields.put(name, date(type, now)));
        return fields;
    }

    private static BsonValue date(BsonValue type, Instant now) {
        if (type.equals(BsonBoolean.TRUE) || type.equals(new BsonDocument("$type", new BsonString("date")))) {
            return new BsonDateTime(now.toEpochMilli());
        }
        if (type.equals(new BsonDocument("$type", new BsonString("timestamp")))) {
            return new BsonTimestamp((int) now.getEpochSecond(), 1);
        }
        throw wrongDate();
    }

    private static ProblemException wrongDate() {
        return invalid("wrong $currentDate operator");
    }
}
