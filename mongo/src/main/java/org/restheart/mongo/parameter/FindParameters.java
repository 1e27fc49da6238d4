package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.resource.ResourceMethods;
import org.restheart.mongo.resource.ResourcePath;

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

    private static final List<String> SELECTING =
            List.of("filter", "shardkey", "sort", "sort_by", "hint", "arrayFilters", "collation");

    /// Whether and how the documents of a collection are counted: the `count` parameter.
    public enum Counting {
        NONE,
        EXACT,
        ESTIMATED
    }

    static FindParameters parse(Request request, Parameters.Settings settings) {
        var query = request.query();
        var slice = request.attribute(Slice.KEY);
        var paging =
                slice.map(Paging::of).orElseGet(() -> Paging.parse(query, settings.pageSize(), settings.maxPageSize()));
        var sort = slice.filter(Slice::natural).isPresent() && !SortParameter.isIn(query)
                ? new BsonDocument()
                : SortParameter.sort(query);
        var hint = HintParameter.parse(query);
        var shortcuts = shortcuts(query, settings.shortcuts());
        var keys = keys(query);
        return new FindParameters(paging, counting(query), filter(query), keys, sort, hint, shortcuts);
    }

    FindParameters withFilter(BsonDocument other) {
        return new FindParameters(paging, counting, other, keys, sort, hint, shortcuts);
    }

    /// Says what is wrong with a write to a whole collection or database that has a parameter which selects documents:
    /// it lacks the `/*` of the documents, and would drop or change the whole. Empty for other requests.
    public static Optional<String> selectionOnCollection(Request request, ResourcePath path) {
        return ResourceMethods.isStructuralChange(path.kind(), request.method())
                ? SELECTING.stream()
                        .filter(request.query()::has)
                        .findFirst()
                        .map(name -> refusal(name, request, path.kind()))
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
                throw new ProblemException(PARAMETER_INVALID, "illegal filter parameter (empty json object)");
            }
            filters.add(filter);
        }
        return StagedFilter.all(filters);
    }

    /// The `eager` parameter: `LINEAR` and `RANDOM` determine where cursors are positioned; bookmarks serve both.
    ///
    /// @param configured the default
    private static Shortcuts shortcuts(Query query, Shortcuts configured) {
        return query.first("eager")
                .map(value -> switch (value.toUpperCase(Locale.ROOT)) {
                    case "LINEAR" -> new Shortcuts(true, CursorsAhead.LINEAR);
                    case "RANDOM" -> new Shortcuts(true, CursorsAhead.RANDOM);
                    case "NONE" -> Shortcuts.NONE;
                    default ->
                        throw new ProblemException(
                                PARAMETER_INVALID, "illegal eager paramenter (must be LINEAR, RANDOM or NONE)");
                })
                .orElse(configured);
    }

    /// The `hint` parameter, which index to use: a key document, a short form of one (`+a`, `-a`) or an index's
    /// name.
    private static final class HintParameter {
        private HintParameter() {}

        /// The last one counts.
        static Optional<BsonValue> parse(Query query) {
            var hints = query.all("hint");
            return hints.isEmpty() ? Optional.empty() : Optional.of(parse(hints.getLast()));
        }

        private static BsonValue parse(String text) {
            if (text.isBlank()) {
                throw illegal();
            }
            return switch (text.charAt(0)) {
                case '{' -> JsonParameter.document("hint", text);
                case '+' -> new BsonDocument(text.substring(1), new BsonInt32(1));
                case '-' -> new BsonDocument(text.substring(1), new BsonInt32(-1));
                case '"', '\'' -> quotedName(text);
                default -> new BsonString(text.strip());
            };
        }

        private static BsonValue quotedName(String text) {
            try {
                return JsonParser.parse(text);
            } catch (MalformedJsonException _) {
                throw illegal();
            }
        }

        private static ProblemException illegal() {
            return new ProblemException(PARAMETER_INVALID, "illegal hint parameter");
        }
    }

    /// The `sort` parameter (older name: `sort_by`): a JSON object or a short form, `a`, `+a`, `-a`.
    private static final class SortParameter {
        private static final BsonInt32 ASCENDING = new BsonInt32(1);
        private static final BsonInt32 DESCENDING = new BsonInt32(-1);

        /// The newest documents first, when ids are ObjectIds.
        private static final BsonDocument DEFAULT = new BsonDocument("_id", DESCENDING);

        private SortParameter() {}

        static boolean isIn(Query query) {
            return query.has(query.used("sort"));
        }

        static BsonDocument sort(Query query) {
            var values = query.all(query.used("sort"));
            return values.isEmpty() ? DEFAULT : merge(values);
        }

        private static BsonDocument merge(List<String> values) {
            var sort = new BsonDocument();
            for (var value : values) {
                var text = value.strip();
                if (text.isEmpty()) {
                    throw new ProblemException(PARAMETER_INVALID, "Illegal sort parameter");
                }
                switch (text.charAt(0)) {
                    case '{' -> sort.putAll(object(text));
                    case '[' -> throw invalid();
                    case '-' -> sort.append(fieldName(text.substring(1)), DESCENDING);
                    case '+' -> sort.append(fieldName(text.substring(1)), ASCENDING);
                    default -> sort.append(fieldName(text), ASCENDING);
                }
            }
            return sort;
        }

        private static String fieldName(String text) {
            var name = text.strip();
            if (name.isEmpty() || name.chars().allMatch(Character::isDigit)) {
                throw invalid();
            }
            return name;
        }

        private static BsonDocument object(String text) {
            try {
                var sort = JsonParser.parse(text);
                if (!sort.isDocument()) { // {"$oid": …} is parsed to a value
                    throw invalid();
                }
                for (var direction : sort.asDocument().values()) {
                    if (!direction.isNumber() && !direction.isDocument()) {
                        throw invalid("orders are 1 and -1, as in {\"field\": -1}");
                    }
                }
                return sort.asDocument();
            } catch (MalformedJsonException e) {
                throw e.isAfterTheEnd()
                        ? new ProblemException(PARAMETER_INVALID, "Invalid sort parameter. " + e.getMessage())
                        : invalid(e.getMessage());
            }
        }

        private static ProblemException invalid() {
            return invalid("a sort is a field, -field, or an object such as {\"field\": -1}");
        }

        /// @param hint as earlier versions say nothing more in the message
        private static ProblemException invalid(@Nullable String hint) {
            return Problem.of(PARAMETER_INVALID, "Invalid sort parameter")
                    .withHints(hint == null ? List.of() : List.of(hint))
                    .raise();
        }
    }

    /// The requested slice of a result.
    ///
    /// @param page counts from 1
    /// @param pageSize documents per page; 0 for none
    /// @param explicit whether the client sent the page or its size
    /// @param skip number of documents before the page
    public record Paging(int page, int pageSize, boolean explicit, long skip) {
        static Paging of(Slice slice) {
            return new Paging(1, slice.limit(), true, slice.skip());
        }

        static Paging parse(Query query, int defaultPageSize, int maxPageSize) {
            int pageSize = number(query, "pagesize", defaultPageSize);
            if (pageSize < 0 || pageSize > maxPageSize) {
                throw new ProblemException(
                        PARAMETER_INVALID, "illegal pagesize parameter, pagesize must be >= 0 and <= " + maxPageSize);
            }
            int page = number(query, "page", 1);
            if (page < 1) {
                throw new ProblemException(PARAMETER_INVALID, "illegal page parameter, it is < 1");
            }
            return new Paging(page, pageSize, query.has("page") || query.has("pagesize"), (page - 1L) * pageSize);
        }

        private static int number(Query query, String name, int otherwise) {
            var text = query.first(name);
            if (text.isEmpty()) {
                return otherwise;
            }
            try {
                return Integer.parseInt(text.get());
            } catch (NumberFormatException _) {
                throw Problem.of(PARAMETER_INVALID, "illegal " + name + " parameter, it is not a number")
                        .because("java.lang.NumberFormatException", "For input string: '" + text.get() + "'")
                        .raise();
            }
        }
    }
}
