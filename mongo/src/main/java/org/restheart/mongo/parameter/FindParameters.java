package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.judged.Slice;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.Ahead;
import org.restheart.mongo.find.Shortcuts.Positioning;

/// The documents that a request selects, their fields, and their order.
///
/// @param filter all `filter` parameters, ANDed; empty document without one
/// @param keys all `keys` parameters merged, the projection; empty means every field
/// @param sort the requested one or the default, `_id` descending
/// @param shortcuts requested with `eager` and `cache` or allowed by the configuration
public record FindParameters(
        Paging paging,
        Counting counting,
        BsonDocument filter,
        BsonDocument keys,
        BsonDocument sort,
        Optional<BsonValue> hint,
        Shortcuts shortcuts) {

    /// Whether and how the documents of a collection are counted: the `count` parameter.
    public enum Counting {
        NONE,
        EXACT,
        ESTIMATED
    }

    static FindParameters parse(Request request, ParameterSettings settings) {
        var query = request.query();
        var slice = request.attribute(Slice.KEY);
        var paging =
                slice.map(Paging::of).orElseGet(() -> Paging.parse(query, settings.pageSize(), settings.maxPageSize()));
        var sort = slice.filter(Slice::natural).isPresent() && !SortParameter.isIn(query)
                ? new BsonDocument()
                : SortParameter.sort(query);
        var hint = HintParameter.parse(query);
        var shortcuts = shortcuts(query, settings.positioning(), cache(query));
        var keys = keys(query);
        return new FindParameters(paging, counting(query), filter(query), keys, sort, hint, shortcuts);
    }

    FindParameters withFilter(BsonDocument other) {
        return new FindParameters(paging, counting, other, keys, sort, hint, shortcuts);
    }

    private static Counting counting(Query query) {
        return query.first("count")
                .map(value -> value.equalsIgnoreCase("estimated") ? Counting.ESTIMATED : Counting.EXACT)
                .orElse(Counting.NONE);
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

    private static boolean cache(Query query) {
        return query.first("cache")
                .filter(value -> !value.equalsIgnoreCase("false") && !value.equals("0"))
                .isPresent();
    }

    /// The `eager` parameter: `LINEAR` and `RANDOM` determine where cursors are positioned; bookmarks serve both.
    ///
    /// @param configured the default
    /// @param cached the value of `cache`
    /// @throws org.restheart.http.ProblemException 400
    private static Shortcuts shortcuts(Query query, Positioning configured, boolean cached) {
        return query.first("eager")
                .map(value -> switch (value.toUpperCase(Locale.ROOT)) {
                    case "LINEAR" -> new Shortcuts(eager(configured), Ahead.LINEAR, cached);
                    case "RANDOM" -> new Shortcuts(eager(configured), Ahead.RANDOM, cached);
                    case "NONE" -> new Shortcuts(Positioning.NONE, cached);
                    default ->
                        throw Problem.of(PARAMETER_INVALID, "illegal eager paramenter (must be LINEAR, RANDOM or NONE)")
                                .raise();
                })
                .orElseGet(() ->
                        new Shortcuts(configured, configured == Positioning.EAGER ? Ahead.LINEAR : Ahead.NONE, cached));
    }

    private static Positioning eager(Positioning configured) {
        return switch (configured) {
            case NONE, BOOKMARKS -> Positioning.BOOKMARKS;
            case EXACT, EAGER -> Positioning.EAGER;
        };
    }
}
