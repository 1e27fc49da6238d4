package org.restheart.rest.document;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.parameter.DataParameter.KEYS;
import static org.restheart.http.parameter.DataParameter.SCHEMA;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.http.ComputeLimit;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.TimeSlices;
import org.restheart.mongo.cursor.Continuations;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.parameter.AfterParameter;
import org.restheart.rest.schema.SchemaAccess;
import org.restheart.rest.schema.SchemaKey;
import org.restheart.rest.schema.Schemas;
import org.restheart.rest.schema.Schemas.StoredSchema;
import org.restheart.rest.schema.Violation;

/// `GET /{db}/{collection}/_violations`: how many of the documents that the caller sees violate a JSON Schema, as they
/// are shown to the caller, and the first of them. Takes limited time: what is left is checked by another request.
public final class FindViolations implements DataHandler {
    public static final String PARAMETER = "schema";

    private static final Duration TIME_LIMIT = Duration.ofSeconds(8);
    private static final int BATCH = 500;
    private static final int MAX_ERRORS = 10;

    /// Documents that are checked at a time within [ComputeLimit]; then the thread yields. Checking does not block, and
    /// virtual threads are not preempted.
    private static final int PORTION = 16;

    private final Finder finder;
    private final DocumentSizes sizes;
    private final Schemas schemas;
    private final SchemaAccess access;
    private final Queries queries;
    private final Continuations continuations;

    /// @param timeLimit of queries; zero for the limit of this resource alone
    public FindViolations(
            Finder finder,
            DocumentSizes sizes,
            Continuations continuations,
            Schemas schemas,
            SchemaAccess access,
            Duration timeLimit) {
        this.sizes = sizes;
        this.finder = finder;
        this.continuations = continuations;
        this.schemas = schemas;
        this.access = access;
        this.queries = new Queries(timeLimit.isZero() || timeLimit.compareTo(TIME_LIMIT) > 0 ? TIME_LIMIT : timeLimit);
    }

    @Override
    public Response handle(DataRequest request) {
        if (request.parameters().values().has(KEYS)) {
            throw new ProblemException(PARAMETER_INVALID, "documents are checked as a whole, without keys");
        }
        request.http().requireThread();
        var schema = schema(request);
        var result = new Result(
                schemas.checking(schema), request.parameters().find().paging().pageSize());
        var query = queries.all(request);
        var complete = check(request, query, result);
        var answer = new BsonDocument(PARAMETER, new BsonString(schema.key().uri()))
                .append("checked", new BsonInt64(result.checked))
                .append("violating", new BsonInt64(result.violating))
                .append("complete", BsonBoolean.valueOf(complete));
        if (!complete && result.last != null) {
            continuations.key(query, result.last).ifPresent(key -> answer.append(AfterParameter.NAME, key));
        }
        return JsonResponses.of(request, 200, answer.append("violations", result.violations));
    }

    /// The schema that the client names, else that of the collection.
    private StoredSchema schema(DataRequest request) {
        var db = request.path().requireDb();
        var named = request.parameters().values().text(SCHEMA);
        if (named.isPresent()) {
            var key = new SchemaKey(db, new BsonString(named.get()));
            access.requireReadable(request, key);
            return schemas.find(key).orElseThrow(() -> new ProblemException(NOT_FOUND, "the schema does not exist"));
        }
        var own = request.resource()
                .properties()
                .flatMap(properties -> schemas.named(db, properties))
                .orElseThrow(() -> new ProblemException(
                        CONTENT_INVALID, "the collection has no jsonSchema: name a schema by the parameter schema"));
        access.requireReadable(request, own.key());
        return own;
    }

    /// Whether all documents were checked before the time was over.
    private boolean check(DataRequest request, FindQuery query, Result result) {
        long end = System.nanoTime() + TIME_LIMIT.toNanos();
        var after = Queries.after(request);
        var size = sizes.of(query.namespace());
        int batch = size.batch(BATCH);
        request.http().lease().await(size.reading(batch));
        try (var documents = after.isPresent()
                ? continuations.find(query, after.get(), batch).orElseThrow(NextPage::noOrder)
                : finder.find(query, batch)) {
            var portion = new ArrayList<RawBsonDocument>(PORTION);
            while (documents.hasNext()) {
                portion.clear();
                while (portion.size() < PORTION && documents.hasNext()) {
                    portion.add(documents.next());
                }
                if (!ComputeLimit.SHARED.compute(() -> result.addAll(portion, end))) {
                    return false;
                }
                TimeSlices.letOthersRun();
            }
            return true;
        }
    }

    /// Confined to one request.
    private static final class Result {
        private final Function<BsonDocument, List<Violation>> check;
        private final int listed;
        private final BsonArray violations = new BsonArray();
        private long checked;
        private long violating;
        private @Nullable BsonDocument last;

        Result(Function<BsonDocument, List<Violation>> check, int listed) {
            this.check = check;
            this.listed = listed;
        }

        /// @return whether all were checked before this time
        boolean addAll(List<RawBsonDocument> documents, long end) {
            for (var document : documents) {
                if (System.nanoTime() > end) {
                    return false;
                }
                add(document);
            }
            return true;
        }

        private void add(BsonDocument document) {
            checked++;
            last = document;
            var found = found(document);
            if (!found.isEmpty()) {
                violating++;
                if (violations.size() < listed) {
                    violations.add(entry(document, found));
                }
            }
        }

        /// Inserted documents are checked before they have a tag and perhaps an id, changed ones with both.
        private List<Violation> found(BsonDocument document) {
            var stored = check.apply(document);
            if (stored.isEmpty()) {
                return stored;
            }
            var untagged = without(document, EntityTags.FIELD);
            var sent = check.apply(untagged);
            if (sent.isEmpty()) {
                return sent;
            }
            var unnamed = check.apply(without(untagged, "_id"));
            return unnamed.isEmpty() || unnamed.size() < sent.size() ? unnamed : sent;
        }

        private static BsonDocument without(BsonDocument document, String field) {
            if (document instanceof RawBsonDocument raw) {
                return RawDocuments.edit(raw).remove(field).toDocument();
            }
            var copy = document.clone();
            copy.remove(field);
            return copy;
        }

        private static BsonDocument entry(BsonDocument document, List<Violation> found) {
            var errors = new BsonArray();
            found.stream()
                    .limit(MAX_ERRORS)
                    .forEach(violation -> errors.add(new BsonDocument("path", new BsonString(violation.path()))
                            .append("rule", new BsonString(violation.rule()))
                            .append("message", new BsonString(violation.message()))));
            var entry = new BsonDocument();
            Optional.ofNullable(document.get("_id")).ifPresent(id -> entry.append("_id", id));
            return entry.append("errors", errors);
        }
    }
}
