package org.restheart.rest.file;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.time.Instant;
import java.util.List;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.bson.BsonValues;
import org.restheart.http.ProblemException;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.content.NewDocument;
import org.restheart.rest.content.ServerFields;
import org.restheart.rest.exchange.DataRequest;

/// Metadata of a file, stored below `metadata`.
final class FileMetadata {
    /// Fields in which clients may wrap metadata.
    static final List<String> WRAPPERS = List.of("metadata", "properties");

    static final String CONTENT_TYPE = "contentType";
    private static final String FILE_NAME = "filename";

    private FileMetadata() {}

    /// Unwraps content that may be wrapped in `metadata` or `properties`, as in `{"metadata": {"tag": 1}}` and
    /// `{"metadata.tag": 1}`. Once: what is unwrapped may have a field of that name.
    static BsonValue unwrapped(BsonValue content) {
        if (!content.isDocument()) {
            return content;
        }
        var inner = content.asDocument().get("metadata", content.asDocument().get("properties"));
        if (inner != null && inner.isDocument()) {
            return inner;
        }
        if (content.asDocument().keySet().stream().allMatch(key -> key.equals(unwrapped(key)))) {
            return content;
        }
        return BsonValues.renamed(content.asDocument(), FileMetadata::unwrapped);
    }

    /// A path without the name of a wrapper.
    private static String unwrapped(String path) {
        return WRAPPERS.stream()
                .map(wrapper -> wrapper + ".")
                .filter(path::startsWith)
                .findFirst()
                .map(prefix -> path.substring(prefix.length()))
                .orElse(path);
    }

    /// The fields that the server adds below `metadata`, however the rule names them: filters of a rule call
    /// `metadata.owner` what is `owner` here.
    static ServerFields fields(DataRequest request) {
        var fields = ServerFields.of(request);
        var merged = new BsonDocument();
        fields.merged().forEach((path, value) -> {
            if (WRAPPERS.contains(path) && value.isDocument()) {
                merged.putAll(value.asDocument());
            } else {
                merged.put(unwrapped(path), value);
            }
        });
        return new ServerFields(fields.added(), merged);
    }

    /// A copy of the metadata without the id, which the path names.
    ///
    /// @throws org.restheart.http.ProblemException 400 without metadata
    static BsonDocument given(BsonDocument content) {
        var metadata = new BsonDocument();
        metadata.putAll(content);
        if (metadata.isEmpty()) {
            throw new ProblemException(CONTENT_INVALID, "no data provided");
        }
        metadata.remove("_id");
        return metadata;
    }

    /// The metadata that are stored whole.
    ///
    /// @throws org.restheart.http.ProblemException 400
    static BsonDocument whole(DataRequest request, BsonDocument content, ObjectId etag) {
        var metadata = NewDocument.of(fields(request), content);
        metadata.remove("_id");
        metadata.remove(EntityTags.FIELD);
        return metadata.append(EntityTags.FIELD, new BsonObjectId(etag));
    }

    /// The document that makes an upload visible.
    static RawBsonDocument file(
            DataRequest request, BsonValue id, BsonDocument content, String mediaType, ChunkWriter chunks) {
        var metadata = whole(request, content, new ObjectId());
        if (!metadata.containsKey(CONTENT_TYPE)) {
            var etag = metadata.remove(EntityTags.FIELD);
            metadata.append(CONTENT_TYPE, new BsonString(mediaType)).append(EntityTags.FIELD, etag);
        }
        var name = metadata.get(FILE_NAME);
        return NewDocument.encode(new BsonDocument("_id", id)
                .append(FILE_NAME, name != null && name.isString() ? name : new BsonString("file"))
                .append("length", new BsonInt64(chunks.length()))
                .append("chunkSize", new BsonInt32(ChunkWriter.CHUNK_SIZE))
                .append("uploadDate", new BsonDateTime(Instant.now().toEpochMilli()))
                .append("metadata", metadata));
    }
}
