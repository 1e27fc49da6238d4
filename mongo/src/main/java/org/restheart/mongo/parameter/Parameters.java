package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.resource.IdType;
import org.restheart.mongo.resource.ResourceMethods;
import org.restheart.mongo.resource.ResourcePath;

/// Every query parameter of the data API, parsed and checked once. Immutable; unknown parameters are ignored.
///
/// @param id the document id of the path, if there is one
/// @param writeMode in place of the method's default
/// @param checkEtag whether a write needs the entity tag, in place of the collection's policy
/// @param noCache `nocache`: whether the properties of databases and collections are read without the cache
public record Parameters(
        FindParameters find,
        FormatParameters format,
        ConcernParameters concerns,
        IdType idType,
        Optional<BsonValue> id,
        Optional<BsonDocument> shardKey,
        Optional<WriteMode> writeMode,
        boolean checkEtag,
        Optional<BsonDocument> aggregationVariables,
        boolean noCache) {

    /// Always checks in the same order, since the first invalid parameter is reported.
    ///
    /// @throws org.restheart.http.ProblemException 400
    public static Parameters parse(Request request, ResourcePath path, ParameterSettings settings) {
        var query = request.query();
        var find = FindParameters.parse(request, settings);
        if (find.filter().isEmpty()
                && isBulkWrite(request, path)
                && request.attribute(DataWrite.KEY).isEmpty()) {
            throw Problem.of(PARAMETER_INVALID, "filter parameter is mandatory for bulk write requests")
                    .raise();
        }
        var variables = query.first("avars").map(text -> AggregationVariables.parse(text, settings));
        var idType = query.first("id_type").map(IdType::of).orElse(IdType.STRING_OID);
        var id = hasId(path.kind()) ? Optional.of(idType.parse(path.requireName())) : Optional.<BsonValue>empty();
        var format = FormatParameters.parse(request, settings);
        return new Parameters(
                find,
                format,
                ConcernParameters.parse(query),
                idType,
                id,
                query.first("shardkey").map(Parameters::shardKey),
                query.first(query.has("writeMode") ? "writeMode" : "wm").flatMap(WriteMode::of),
                query.has("checkEtag"),
                variables,
                query.has("nocache"));
    }

    /// The same for the document with this id.
    public Parameters withId(BsonValue id) {
        return with(find, Optional.of(id));
    }

    /// The same without the filter's conditions on `_id`.
    public Parameters withoutIdFilter() {
        var others = find.filter().clone();
        others.remove("_id");
        return with(find.withFilter(others), id);
    }

    private Parameters with(FindParameters find, Optional<BsonValue> id) {
        return new Parameters(
                find, format, concerns, idType, id, shardKey, writeMode, checkEtag, aggregationVariables, noCache);
    }

    private static boolean isBulkWrite(Request request, ResourcePath path) {
        return ResourceMethods.allow(path.kind(), request.method())
                && (path.kind() == ResourceKind.BULK_DOCUMENTS || path.kind() == ResourceKind.BULK_SCHEMAS);
    }

    private static boolean hasId(ResourceKind kind) {
        return kind == ResourceKind.DOCUMENT
                || kind == ResourceKind.FILE
                || kind == ResourceKind.FILE_BINARY
                || kind == ResourceKind.SCHEMA;
    }

    private static BsonDocument shardKey(String text) {
        var key = JsonParameter.document("shardkey", text);
        if (key.isEmpty()) {
            throw Problem.of(PARAMETER_INVALID, "illegal shardkey parameter (empty json object)")
                    .raise();
        }
        return key;
    }
}
