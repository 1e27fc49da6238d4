package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonMode;
import org.restheart.http.Problem;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.Slice;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.resource.IdType;
import org.restheart.mongo.resource.ResourceKind;
import org.restheart.mongo.resource.ResourcePath;

/// Every query parameter of the data API, parsed and checked once. Immutable; unknown parameters are ignored.
///
/// @param filter all `filter` parameters, ANDed; empty document without one
/// @param keys all `keys` parameters merged, the projection; empty means every field
/// @param sort what was asked for or the default, `_id` descending
/// @param shortcuts what `eager` and `cache` ask for or the configuration allows
/// @param id the document id of the path, if there is one
/// @param noProperties `np`: leave the properties of the collection out of HAL
public record Parameters(
        Paging paging,
        Counting counting,
        BsonDocument filter,
        BsonDocument keys,
        BsonDocument sort,
        Optional<BsonValue> hint,
        boolean cache,
        Shortcuts shortcuts,
        boolean noCache,
        boolean noProperties,
        Representation representation,
        boolean halFull,
        JsonMode jsonMode,
        IdType idType,
        Optional<BsonValue> id,
        Optional<WriteMode> writeMode,
        boolean checkEtag,
        Optional<BsonDocument> shardKey,
        Optional<BsonDocument> aggregationVariables,
        Optional<ReadConcern> readConcern,
        Optional<ReadPreference> readPreference,
        Optional<WriteConcern> writeConcern) {

    /// Checks in the contract's order; the first parameter that is wrong is reported.
    ///
    /// @throws org.restheart.http.ProblemException 400
    public static Parameters parse(Request request, ResourcePath path, ParameterSettings settings) {
        var query = request.query();
        var representation = query.first("rep").flatMap(Representation::of).orElse(settings.representation());
        var slice = request.attribute(Slice.KEY);
        var paging =
                slice.map(Paging::of).orElseGet(() -> Paging.parse(query, settings.pageSize(), settings.maxPageSize()));
        var sort = slice.isPresent() && !SortParameter.isIn(query) ? new BsonDocument() : SortParameter.sort(query);
        var hint = HintParameter.parse(query);
        var shortcuts = EagerParameter.parse(query, settings.positioning(), cache(query));
        var keys = keys(query);
        var filter = filter(query);
        if (filter.isEmpty()
                && isBulkWrite(request, path)
                && request.attribute(DataWrite.KEY).isEmpty()) {
            throw Problem.of(PARAMETER_INVALID, "filter parameter is mandatory for bulk write requests")
                    .raise();
        }
        var variables = query.first("avars").map(text -> AggregationVariables.parse(text, settings));
        var idType = query.first("id_type").map(IdType::of).orElse(IdType.STRING_OID);
        var id = hasId(path.kind()) ? Optional.of(idType.parse(path.requireName())) : Optional.<BsonValue>empty();
        return new Parameters(
                paging,
                counting(query),
                filter,
                keys,
                sort,
                hint,
                cache(query),
                shortcuts,
                query.has("nocache"),
                query.has("np"),
                representation,
                halFull(query),
                request.attribute(JudgedRequest.JSON_MODE).orElseGet(() -> jsonMode(query)),
                idType,
                id,
                query.first(query.has("writeMode") ? "writeMode" : "wm").flatMap(WriteMode::of),
                query.has("checkEtag"),
                query.first("shardkey").map(Parameters::shardKey),
                variables,
                query.first("readConcern").flatMap(Parameters::readConcern),
                query.first("readPreference").flatMap(Parameters::readPreference),
                query.first("writeConcern").flatMap(Parameters::writeConcern));
    }

    /// The same for the document with this id.
    public Parameters withId(BsonValue id) {
        return with(filter, Optional.of(id));
    }

    /// The same without what the filter says about `_id`.
    public Parameters withoutIdFilter() {
        var others = filter.clone();
        others.remove("_id");
        return with(others, id);
    }

    private Parameters with(BsonDocument filter, Optional<BsonValue> id) {
        return new Parameters(
                paging,
                counting,
                filter,
                keys,
                sort,
                hint,
                cache,
                shortcuts,
                noCache,
                noProperties,
                representation,
                halFull,
                jsonMode,
                idType,
                id,
                writeMode,
                checkEtag,
                shardKey,
                aggregationVariables,
                readConcern,
                readPreference,
                writeConcern);
    }

    /// The mode that also error bodies are written in, when nothing else of the query could be read.
    public static JsonMode jsonMode(Query query) {
        return query.first("jsonMode").flatMap(JsonMode::of).orElse(JsonMode.DEFAULT);
    }

    private static boolean isBulkWrite(Request request, ResourcePath path) {
        return path.kind().allows(request.method())
                && (path.kind() == ResourceKind.BULK_DOCUMENTS || path.kind() == ResourceKind.BULK_SCHEMAS);
    }

    private static boolean hasId(ResourceKind kind) {
        return kind == ResourceKind.DOCUMENT
                || kind == ResourceKind.FILE
                || kind == ResourceKind.FILE_BINARY
                || kind == ResourceKind.SCHEMA;
    }

    private static BsonDocument keys(Query query) {
        var keys = new BsonDocument();
        for (var text : query.all("keys")) {
            keys.putAll(JsonParameter.document("keys", text));
        }
        return keys;
    }

    private static BsonDocument filter(Query query) {
        var filters = new ArrayList<BsonDocument>();
        for (var text : query.all("filter")) {
            var filter = JsonParameter.document("filter", text);
            if (filter.isEmpty()) {
                throw Problem.of(PARAMETER_INVALID, "illegal filter parameter (empty json object)")
                        .raise();
            }
            filters.add(filter);
        }
        return switch (filters.size()) {
            case 0 -> new BsonDocument();
            case 1 -> filters.getFirst();
            default -> new BsonDocument("$and", new BsonArray(filters));
        };
    }

    private static Counting counting(Query query) {
        return query.first("count")
                .map(value -> value.equalsIgnoreCase("estimated") ? Counting.ESTIMATED : Counting.EXACT)
                .orElse(Counting.NONE);
    }

    private static boolean cache(Query query) {
        return query.first("cache")
                .filter(value -> !value.equalsIgnoreCase("false") && !value.equals("0"))
                .isPresent();
    }

    private static boolean halFull(Query query) {
        var value = query.first("hal").map(v -> v.toUpperCase(Locale.ROOT)).orElse("COMPACT");
        return switch (value) {
            case "FULL", "F" -> true;
            case "COMPACT", "C" -> false;
            default ->
                throw Problem.of(PARAMETER_INVALID, "illegal hal parameter; valid values are [FULL, F, COMPACT, C]")
                        .raise();
        };
    }

    private static BsonDocument shardKey(String text) {
        var key = JsonParameter.document("shardkey", text);
        if (key.isEmpty()) {
            throw Problem.of(PARAMETER_INVALID, "illegal shardkey parameter (empty json object)")
                    .raise();
        }
        return key;
    }

    private static Optional<ReadConcern> readConcern(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "local" -> Optional.of(ReadConcern.LOCAL);
            case "available" -> Optional.of(ReadConcern.AVAILABLE);
            case "majority" -> Optional.of(ReadConcern.MAJORITY);
            case "linearizable" -> Optional.of(ReadConcern.LINEARIZABLE);
            case "snapshot" -> Optional.of(ReadConcern.SNAPSHOT);
            default -> Optional.empty();
        };
    }

    private static Optional<ReadPreference> readPreference(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "primary" -> Optional.of(ReadPreference.primary());
            case "primarypreferred" -> Optional.of(ReadPreference.primaryPreferred());
            case "secondary" -> Optional.of(ReadPreference.secondary());
            case "secondarypreferred" -> Optional.of(ReadPreference.secondaryPreferred());
            case "nearest" -> Optional.of(ReadPreference.nearest());
            default -> Optional.empty();
        };
    }

    private static Optional<WriteConcern> writeConcern(String name) {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "ACKNOWLEDGED" -> Optional.of(WriteConcern.ACKNOWLEDGED);
            case "W1" -> Optional.of(WriteConcern.W1);
            case "W2" -> Optional.of(WriteConcern.W2);
            case "W3" -> Optional.of(WriteConcern.W3);
            case "UNACKNOWLEDGED" -> Optional.of(WriteConcern.UNACKNOWLEDGED);
            case "JOURNALED" -> Optional.of(WriteConcern.JOURNALED);
            case "MAJORITY" -> Optional.of(WriteConcern.MAJORITY);
            default -> Optional.empty();
        };
    }
}
