package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.NOT_FOUND;

import com.mongodb.ReadPreference;
import java.util.Optional;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.SessionCollection;

/// `PATCH` and `DELETE` of `/{db}/{collection}/*` in judged requests for one document that matches a filter: finds
/// the id of one, then runs the request for that document. The write has the filter too, so that a document that has
/// changed in between is not written and another one is searched. Requests of clients are passed to `others`.
///
/// In mode `upsert` a document is inserted when none matches, also for a request about many.
public final class OneDocument implements DataHandler {
    private static final int MAX_ATTEMPTS = 10;

    private final RequestCollections collections;
    private final SingleWrites single;
    private final DataHandler others;

    /// @param others for all matching documents
    public OneDocument(RequestCollections collections, SingleWrites single, DataHandler others) {
        this.collections = collections;
        this.single = single;
        this.others = others;
    }

    @Override
    public Response handle(DataRequest request) {
        var write = request.http().attribute(DataWrite.KEY);
        if (write.isEmpty()) {
            return others.handle(request);
        }
        request.http().requireThread();
        DataHandler handler = request.http().method() == Method.DELETE
                ? single::delete
                : write.get().kind() == DataWrite.Kind.REPLACE_ONE ? single::put : single::patch;
        if (write.get().kind() == DataWrite.Kind.AS_REQUESTED) {
            boolean creates = isUpsert(request) && find(request) == null;
            return creates ? single.patch(request.withNewId(newId(request))) : others.handle(request);
        }
        for (int attempt = 1; ; attempt++) {
            var id = find(request);
            if (id == null) {
                return isUpsert(request) ? handler.handle(request.withNewId(newId(request))) : nothing(request);
            }
            try {
                return handler.handle(request.withId(id));
            } catch (ProblemException e) {
                if (e.problem().code() != NOT_FOUND || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static boolean isUpsert(DataRequest request) {
        return request.http().method() == Method.PATCH
                && request.parameters()
                        .writeMode()
                        .filter(mode -> mode == WriteMode.UPSERT)
                        .isPresent();
    }

    private @Nullable BsonValue find(DataRequest request) {
        var found = SessionCollection.of(collections, request)
                .with(ReadPreference.primary())
                .find(request.writeFilter())
                .projection(new BsonDocument("_id", new BsonInt32(1)))
                .first();
        return found == null ? null : found.get("_id");
    }

    /// The id in the filter or in the content, as in MongoDB's upserts, else a new one.
    private static BsonValue newId(DataRequest request) {
        return idInFilter(request).or(() -> idInContent(request)).orElseGet(() -> new BsonObjectId(new ObjectId()));
    }

    private static Optional<BsonValue> idInContent(DataRequest request) {
        return request.content() instanceof BsonDocument content
                ? Stream.of(content, content.get("$setOnInsert"), content.get("$set"))
                        .flatMap(part -> part instanceof BsonDocument fields
                                ? Stream.ofNullable(fields.get("_id"))
                                : Stream.empty())
                        .findFirst()
                : Optional.empty();
    }

    private static Optional<BsonValue> idInFilter(DataRequest request) {
        var asked = request.parameters().find().filter().get("_id");
        if (asked != null && asked.isDocument() && asked.asDocument().containsKey("$eq")) {
            asked = asked.asDocument().get("$eq");
        }
        boolean isValue = asked != null && !asked.isRegularExpression() && !asked.isArray() && !isOperators(asked);
        return isValue ? Optional.ofNullable(asked) : Optional.empty();
    }

    private static boolean isOperators(BsonValue value) {
        return value.isDocument() && value.asDocument().keySet().stream().anyMatch(name -> name.startsWith("$"));
    }

    private static Response nothing(DataRequest request) {
        DataWrite.report(request.http(), DataWrite.Report.changed(0, 0));
        return JsonResponses.empty(200);
    }
}
