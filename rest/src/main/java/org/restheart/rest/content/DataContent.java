package org.restheart.rest.content;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TYPE_UNSUPPORTED;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonArray;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Body;
import org.restheart.http.ContentTrees;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.rest.format.BsonDocumentReader;
import org.restheart.rest.format.Csv;
import org.restheart.rest.format.CsvReader;
import org.restheart.rest.format.DocumentFormat.BsonBytes;
import org.restheart.rest.format.DocumentFormat.JsonLines;
import org.restheart.rest.format.DocumentReader;
import org.restheart.rest.format.JsonDocumentReader;
import org.restheart.rest.format.JsonLinesReader;
import org.restheart.rest.resource.ResourcePath;

/// Reads the content of a request that carries documents or properties: JSON, JSON lines, BSON or a form.
public final class DataContent {
    private static final String MANY = JsonLines.MEDIA_TYPE + ", " + Csv.MEDIA_TYPE + " or " + BsonBytes.MEDIA_TYPE;

    /// As many as MongoDB takes in one command (`maxWriteBatchSize`). More are read one by one instead.
    private static final int MAX_DOCUMENTS = 100_000;

    /// Bytes of an element besides its content.
    private static final int ELEMENT = 300;

    /// Of the outermost document.
    private static final int MAX_FIELDS = 100_000;

    /// Most bytes of the properties of a database or a collection: each request to it refers to them as objects, and
    /// every write makes others.
    private static final long MAX_PROPERTIES = Math.max(256 << 10, MemoryBudget.Part.METADATA.bytes() / 32);

    private static final Set<String> MANY_TYPES =
            Set.of(JsonLines.MEDIA_TYPE, JsonDocumentReader.SEQUENCE, BsonBytes.MEDIA_TYPE, Csv.MEDIA_TYPE, Csv.TABS);

    /// Of a media type, before its parameters.
    private static final Pattern END_OF_NAME = Pattern.compile("[;,\\s]");

    private DataContent() {}

    /// A document or an array of documents; an empty document for no content.
    ///
    /// @throws ProblemException 400 for malformed content or another structure, 415 for another media type
    public static BsonValue parse(Request request) {
        var mediaType = request.headers().first("Content-Type").orElse("application/json");
        var name = nameOf(mediaType);
        var body = request.body();
        if (name.equals("application/x-www-form-urlencoded")) {
            return checkIds(Form.urlEncoded(body));
        }
        if (name.equals("multipart/form-data")) {
            return checkIds(Form.multipart(mediaType, body));
        }
        if (name.equals("application/json") || name.equals("application/hal+json")) {
            return body.isEmpty() ? new BsonDocument() : checkIds(json(request));
        }
        if (isMany(request)) {
            return checkIds(array(documents(request, new ByteArrayInputStream(body.bytes())), body));
        }
        throw Problem.of(
                        CONTENT_TYPE_UNSUPPORTED,
                        "Content-Type must be either: application/json or application/hal+json")
                .withHints(request.method() == Method.POST ? List.of("many documents go as " + MANY) : List.of())
                .raise();
    }

    /// A change; a document as a tree: checks and handlers look at its fields again and again, and bytes are decoded
    /// each time. The stages of a pipeline stay bytes, which the driver sends as they are.
    ///
    /// @throws ProblemException as [#parse], and 503 if the caller holds too much for the tree
    public static BsonValue parseChange(Request request) {
        var content = parse(request);
        if (!(content instanceof RawBsonDocument change)) {
            return content;
        }
        ContentTrees.hold(request.body(), change);
        return RawDocuments.toTree(change);
    }

    /// Properties of a database or a collection, which are bounded before objects are made of them.
    ///
    /// @throws ProblemException as [#parseChange], and 413
    public static BsonValue parseProperties(Request request) {
        var content = parse(request);
        if (content instanceof RawBsonDocument properties) {
            requireProperties(properties.getByteLength());
            ContentTrees.hold(request.body(), properties);
        }
        return content;
    }

    /// @throws ProblemException 413 if properties of so many bytes are too large
    public static void requireProperties(long bytes) {
        if (bytes > MAX_PROPERTIES) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TOO_LARGE, "properties are larger than " + MAX_PROPERTIES + " bytes of BSON");
        }
    }

    private static BsonValue json(Request request) {
        try {
            return requireBounded(JsonParser.parse(request.body().bytes()));
        } catch (MalformedJsonException e) {
            var hint = e.isAfterTheEnd() && request.method() == Method.POST
                    ? "; several documents go as an array, or each on a line of its own as " + JsonLines.MEDIA_TYPE
                    : "";
            throw invalid("Invalid JSON. " + e.getMessage() + hint);
        }
    }

    /// Before objects are made of the elements and fields.
    private static BsonValue requireBounded(BsonValue content) {
        if (content instanceof RawBsonArray array && array.size() > MAX_DOCUMENTS) {
            throw tooManyDocuments();
        }
        if (content instanceof RawBsonDocument document
                && document.getByteLength() > MAX_FIELDS // each takes more than a byte
                && document.size() > MAX_FIELDS) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TOO_LARGE, "a document must not have more than " + MAX_FIELDS + " fields");
        }
        return content;
    }

    static ProblemException invalid(String message) {
        return new ProblemException(CONTENT_INVALID, message);
    }

    private static ProblemException tooManyDocuments() {
        return new ProblemException(
                ProblemCode.CONTENT_TOO_LARGE, "an array must not have more than " + MAX_DOCUMENTS + " documents");
    }

    /// Whether the content of a request may be longer than memory: lines of JSON, BSON documents or CSV.
    public static boolean isMany(Request request) {
        return request.method() == Method.POST && MANY_TYPES.contains(mediaType(request));
    }

    /// What can be sent in place of refused content.
    public static List<String> hints(Request request, Problem refusal) {
        boolean isTooLarge = refusal.code() == ProblemCode.CONTENT_TOO_LARGE
                && request.method() == Method.POST
                && request.require(ResourcePath.KEY).kind() == ResourceKind.COLLECTION
                && !isMany(request);
        return isTooLarge
                ? List.of("many documents go as " + MANY + ", which are read while they arrive, or by POST to"
                        + " /_imports?into=" + request.path().decoded())
                : List.of();
    }

    /// The media type without parameters, in lower case and in its usual spelling; empty if there is none.
    public static String mediaType(Request request) {
        return request.headers().first("Content-Type").map(DataContent::nameOf).orElse("");
    }

    private static String nameOf(String contentType) {
        var name = END_OF_NAME.split(contentType.toLowerCase(Locale.ROOT).strip(), 2)[0];
        return JsonLines.isOne(name) ? JsonLines.MEDIA_TYPE : name;
    }

    /// Whether the content is CSV, with commas or tabs.
    public static boolean isCsv(Request request) {
        var type = mediaType(request);
        return type.equals(Csv.MEDIA_TYPE) || type.equals(Csv.TABS);
    }

    /// Reads content of many documents; empty for another media type.
    public static Optional<DocumentReader> reader(String mediaType, InputStream content) {
        return switch (mediaType) {
            case JsonLines.MEDIA_TYPE -> Optional.of(new JsonLinesReader(content));
            case BsonBytes.MEDIA_TYPE -> Optional.of(new BsonDocumentReader(content));
            case Csv.MEDIA_TYPE -> Optional.of(new CsvReader(content));
            case JsonDocumentReader.SEQUENCE -> Optional.of(new JsonDocumentReader(content));
            case Csv.TABS -> Optional.of(CsvReader.ofTabs(content));
            default -> Optional.empty();
        };
    }

    public static DocumentReader documents(Request request, InputStream content) {
        return reader(mediaType(request), content).orElseThrow();
    }

    private static BsonArray array(DocumentReader documents, Body body) {
        try {
            var array = new BsonArray();
            for (var next = documents.next(); next != null; next = documents.next()) {
                if (array.size() == MAX_DOCUMENTS) {
                    throw new ProblemException(
                            ProblemCode.CONTENT_TOO_LARGE,
                            "content that a rule looks at must not have more than " + MAX_DOCUMENTS + " documents");
                }
                switch (next) {
                    case DocumentReader.Entry.Parsed parsed -> {
                        var value = parsed.value();
                        body.hold(ELEMENT + (value instanceof RawBsonDocument raw ? raw.getByteLength() : 0));
                        array.add(value);
                    }
                    case DocumentReader.Entry.Malformed(var number, var problem) ->
                        throw invalid(problem.message() + " (line " + number + ")");
                }
            }
            return array;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @throws ProblemException 400 for a value that is not a document, or has an array as its id
    public static BsonValue checkIds(BsonValue content) {
        if (content.isDocument()) {
            checkId(content.asDocument());
        } else if (content.isArray()) {
            int index = 0;
            for (var element : content.asArray()) {
                try {
                    if (!element.isDocument()) {
                        throw invalid("request data must be either an json object or an array of objects");
                    }
                    checkId(element.asDocument());
                } catch (ProblemException e) {
                    throw inElement(e, index);
                }
                index++;
            }
        } else {
            throw invalid("request data must be either a json object or an array, got " + content.getBsonType());
        }
        return content;
    }

    /// A refusal of an array because of one of its elements.
    ///
    /// @param index of the element, from 0 as in reports
    public static ProblemException inElement(ProblemException refusal, int index) {
        return refusal.problem()
                .withHints(List.of("this is about the element " + index
                        + " of the array, counted from 0; none of the array was written"))
                .raise();
    }

    private static void checkId(BsonDocument document) {
        if (RawDocuments.get(document, "_id").filter(BsonValue::isArray).isPresent()) {
            throw invalid("the type of _id in request data is not supported: ARRAY");
        }
    }
}
