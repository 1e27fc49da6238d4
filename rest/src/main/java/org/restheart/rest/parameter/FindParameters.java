package org.restheart.rest.parameter;

import static org.restheart.http.parameter.DataParameter.COUNT;
import static org.restheart.http.parameter.DataParameter.EAGER;
import static org.restheart.http.parameter.DataParameter.FILTER;
import static org.restheart.http.parameter.DataParameter.HINT;
import static org.restheart.http.parameter.DataParameter.KEYS;
import static org.restheart.http.parameter.DataParameter.PAGE;
import static org.restheart.http.parameter.DataParameter.PAGE_SIZE;
import static org.restheart.http.parameter.DataParameter.SORT;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.restheart.data.Operation;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.ParameterValues;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.rest.resource.ResourcePath;

/// The documents that a request selects, their fields, and their order.
///
/// @param filter all `filter` parameters, ANDed; empty document without one
/// @param keys all `keys` parameters merged, the projection; empty means every field
/// @param sort the requested one or the default, `_id` descending
/// @param shortcuts requested with `eager` or allowed by the configuration
public record FindParameters(
        Paging paging,
        Counting counting,
        BsonDocument filter,
        BsonDocument keys,
        BsonDocument sort,
        Optional<BsonValue> hint,
        Shortcuts shortcuts) {

    /// The newest documents first, when ids are ObjectIds.
    private static final BsonDocument DEFAULT_SORT = new BsonDocument("_id", new BsonInt32(-1));

    /// Whether and how the documents of a collection are counted: the `count` parameter.
    public enum Counting {
        NONE,
        EXACT,
        ESTIMATED
    }

    static FindParameters of(Request request, ParameterValues values, Parameters.Settings settings) {
        var slice = request.attribute(Slice.KEY);
        var sort = values.has(SORT)
                ? merged(values, SORT)
                : slice.filter(Slice::natural).isPresent() ? new BsonDocument() : DEFAULT_SORT;
        var hints = values.json(HINT);
        return new FindParameters(
                slice.map(Paging::of).orElseGet(() -> Paging.of(values, settings)),
                counting(request.query()),
                StagedFilter.all(values.documents(FILTER)),
                merged(values, KEYS),
                sort,
                hints.isEmpty() ? Optional.empty() : Optional.of(hints.getLast()),
                shortcuts(values, settings.shortcuts()));
    }

    FindParameters withFilter(BsonDocument other) {
        return new FindParameters(paging, counting, other, keys, sort, hint, shortcuts);
    }

    private static BsonDocument merged(ParameterValues values, DataParameter parameter) {
        var all = new BsonDocument();
        for (var sent : values.documents(parameter)) {
            all.putAll(sent);
        }
        return all;
    }

    private static Counting counting(Query query) {
        return COUNT.first(query)
                .map(value -> value.equalsIgnoreCase("estimated") ? Counting.ESTIMATED : Counting.EXACT)
                .orElse(Counting.NONE);
    }

    /// The `eager` parameter: `LINEAR` and `RANDOM` determine where cursors are positioned; bookmarks serve both.
    private static Shortcuts shortcuts(ParameterValues values, Shortcuts configured) {
        return values.choice(EAGER)
                .map(CursorsAhead::valueOf)
                .map(ahead -> ahead == CursorsAhead.NONE ? Shortcuts.NONE : new Shortcuts(true, ahead))
                .orElse(configured);
    }

    /// Says what is wrong with a write to a whole collection or database that has a parameter which selects documents:
    /// it lacks the `/*` of the documents, and would drop or change the whole. Empty for other requests.
    public static Optional<String> selectionOnCollection(Request request, ResourcePath path, Operation operation) {
        return operation.isOfWhole()
                ? DataParameter.in(request.query()).stream()
                        .filter(DataParameter::selects)
                        .findFirst()
                        .map(parameter -> refusal(parameter.nameIn(request.query()), request, path.kind()))
                : Optional.empty();
    }

    private static String refusal(String name, Request request, ResourceKind kind) {
        boolean isDatabase = kind == ResourceKind.DB;
        var place = request.path().decoded().replaceAll("/+$", "");
        var text = (name.equals("filter") ? "a filter" : "the parameter " + name) + " selects documents, and "
                + request.method() + " " + (place.isEmpty() ? "/" : place) + " concerns the whole "
                + (isDatabase ? "database" : "collection");
        if (kind == ResourceKind.FILES_BUCKET && request.method() != Method.DELETE) {
            return text;
        }
        return text + "; it belongs to " + (isDatabase ? "the path of a collection with /*" : place + "/*");
    }

    /// The requested slice of a result.
    ///
    /// @param page counts from 1
    /// @param pageSize documents per page; 0 for none
    /// @param explicit whether the client sent the page or its size
    public record Paging(int page, int pageSize, boolean explicit, long skip) {
        static Paging of(Slice slice) {
            return new Paging(1, slice.limit(), true, slice.skip());
        }

        static Paging of(ParameterValues values, Parameters.Settings settings) {
            int pageSize = values.number(PAGE_SIZE, settings.pageSize());
            int page = values.number(PAGE, 1);
            return new Paging(page, pageSize, values.has(PAGE) || values.has(PAGE_SIZE), (page - 1L) * pageSize);
        }
    }
}
