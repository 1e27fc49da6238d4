package org.restheart.mongo.file;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.fileupload2.core.MultipartInput;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.mongo.content.Multipart;

/// The parts of an upload in the order they arrive: metadata and content. A content of another media type than
/// `multipart/form-data` is the file itself. Confined to one request.
final class FileParts {
    private static final int MAX_PARTS = 100;
    private static final int MAX_WARNINGS = 5;

    /// Characters of the name of a part in a warning.
    private static final int MAX_NAME = 64;

    /// A document of 16 MiB holds the description of the file.
    private static final int MAX_METADATA = 16 << 20;

    private final InputStream content;
    private final @Nullable MultipartInput multipart;
    private final Optional<String> mediaType;
    private @Nullable BsonDocument metadata;
    private final Set<String> ignored = new LinkedHashSet<>();
    private int parts;
    private boolean atFile;

    /// The metadata as they were sent, if they have a file name, so that they may be the file.
    private byte @Nullable [] jsonFile;

    private FileParts(InputStream content, @Nullable MultipartInput multipart, Optional<String> mediaType) {
        this.content = content;
        this.multipart = multipart;
        this.mediaType = mediaType;
    }

    /// Reads up to the beginning of the file.
    ///
    /// @throws IOException if the content is malformed
    static FileParts of(Request request) throws IOException {
        var type = type(request);
        var stream = request.body().stream();
        if (!Multipart.isIn(request)) {
            return new FileParts(stream, null, Optional.of(type).filter(MediaTypes::isValid));
        }
        var input = Multipart.input(type, stream);
        var parts = new FileParts(stream, input, Optional.empty());
        parts.atFile = input.skipPreamble() && parts.nextFile(input);
        if (!parts.atFile && parts.jsonFile != null) {
            return new FileParts(new ByteArrayInputStream(parts.jsonFile), null, Optional.empty());
        }
        if (!parts.atFile) {
            throw Problem.of(CONTENT_INVALID, "This request does not contain any binary file")
                    .withHints(List.of(
                            "a part is a file if it has a file name: with curl, -F file=@name; without @ it is text"))
                    .raise();
        }
        return parts;
    }

    /// The metadata of an upload, for access rules. Reads the whole content into memory, unless it consists
    /// of the file: then the metadata are its media type.
    ///
    /// @throws org.restheart.http.ProblemException 400 if the content is malformed
    static BsonDocument metadata(Request request) {
        if (!Multipart.isIn(request)) {
            return new BsonDocument(FileMetadata.CONTENT_TYPE, new BsonString(type(request)));
        }
        request.body().bytes(); // what arrives is there once; the handler reads it again
        try {
            var parts = of(request);
            parts.transferTo(OutputStream.nullOutputStream());
            return parts.metadata().orElseGet(BsonDocument::new);
        } catch (IOException e) {
            throw new ProblemException(CONTENT_INVALID, "multipart/form-data: " + e.getMessage());
        }
    }

    private static String type(Request request) {
        return request.headers().first("Content-Type").orElse(MediaTypes.UNKNOWN);
    }

    /// The metadata read so far.
    Optional<BsonDocument> metadata() {
        return Optional.ofNullable(metadata);
    }

    /// The `Content-Type` of a request that consists of the file. That of a part is ignored.
    Optional<String> mediaType() {
        return mediaType;
    }

    /// Reads the file and the parts after it.
    ///
    /// @throws IOException if the content is malformed
    void transferTo(OutputStream file) throws IOException {
        if (multipart == null) {
            content.transferTo(file);
            return;
        }
        multipart.readBodyData(file);
        while (multipart.readBoundary() && nextFile(multipart)) {
            ignore("only one file is stored, the first: send another one by a request of its own");
            multipart.discardBodyData();
        }
    }

    /// About parts without effect, of those that have been read.
    List<String> warnings() {
        return List.copyOf(ignored);
    }

    private void ignore(String why) {
        if (ignored.size() < MAX_WARNINGS) {
            ignored.add(why);
        }
    }

    /// Reads up to the next part that is a file; false if there is none.
    private boolean nextFile(MultipartInput input) throws IOException {
        do {
            if (++parts > MAX_PARTS) {
                throw new ProblemException(CONTENT_INVALID, "more than " + MAX_PARTS + " parts");
            }
            var head = Multipart.head(Multipart.headers(input));
            var name = head.map(Multipart.Head::name).orElse("");
            boolean isMetadata = metadata == null && FileMetadata.WRAPPERS.contains(name);
            boolean isFile = head.isPresent() && head.get().fileName().isPresent();
            if (isFile && !(isMetadata && head.get().isJson())) {
                if (isMetadata) {
                    ignore("the part " + name
                            + " has a file name, so it is a file and no metadata; curl sends the text of"
                            + " a file with -F '" + name + "=<NAME'");
                }
                return true;
            }
            if (isMetadata) {
                var text = text(input);
                metadata = parse(text);
                jsonFile = isFile ? text : null;
            } else {
                ignore("the part " + name.substring(0, Math.min(name.length(), MAX_NAME))
                        + " has no effect: metadata are one part with the name metadata");
                input.discardBodyData();
            }
        } while (input.readBoundary());
        return false;
    }

    private static byte[] text(MultipartInput input) throws IOException {
        try (var text = input.newInputStream()) {
            var bytes = text.readNBytes(MAX_METADATA + 1);
            if (bytes.length > MAX_METADATA) {
                throw new ProblemException(CONTENT_TOO_LARGE, "the metadata are larger than 16 MiB");
            }
            return bytes;
        }
    }

    private static BsonDocument parse(byte[] text) {
        try {
            var value = JsonParser.parse(text);
            if (!value.isDocument()) {
                throw new ProblemException(CONTENT_INVALID, "the metadata of a file must be a JSON object");
            }
            var document = new BsonDocument();
            document.putAll(value.asDocument());
            var id = document.get("_id");
            if (id != null && id.isArray()) {
                throw new ProblemException(CONTENT_INVALID, "the type of _id in request data is not supported: ARRAY");
            }
            return document;
        } catch (MalformedJsonException e) {
            throw new ProblemException(CONTENT_INVALID, "Invalid JSON. " + e.getMessage());
        }
    }
}
