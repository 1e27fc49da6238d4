package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Method;
import org.restheart.http.Nearest;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.ShortText;
import org.restheart.http.Words;
import org.restheart.http.access.ResourceKind;

/// Detects unknown query parameters. One that is similar to a known one, or probably meant as a condition on a field,
/// is a warning. The former is refused if the request cannot be undone; all unknown parameters are refused if the
/// configuration says so.
public final class UnknownParameters {
    /// All parameters that the data API and the filters before it read.
    private static final Set<String> KNOWN = Words.of("""
        after arrayFilters avars cache checkEtag collation count eager explain filter hal hint id_type jsonMode keys noauthchallenge
        nocache np page pagesize pretty readConcern readPreference rep shardkey sid sort sort_by txn wm
        writeConcern writeMode
        """);

    /// Those of `_violations`.
    private static final Set<String> WITH_SCHEMA =
            Stream.concat(KNOWN.stream(), Stream.of("schema")).collect(Collectors.toUnmodifiableSet());

    /// What decides which documents a write changes, and whether at all.
    private static final Set<String> CONDITIONS =
            Set.of("filter", "arrayFilters", "collation", "checkEtag", "sid", "txn");

    /// Parameters whose value may be JSON. Libraries that serialize objects write `filter[year]=1800` instead.
    private static final Set<String> JSON =
            Words.of("after arrayFilters avars collation embed filter hint keys shardkey sort sort_by");

    /// Options of MongoDB's commands that clients cannot set.
    private static final Set<String> OPTIONS_OF_MONGODB = Words.of("""
        allowDiskUse allowPartialResults awaitData batchSize bypassDocumentValidation comment let maxAwaitTimeMS
        maxTimeMS noCursorTimeout returnKey showRecordId singleBatch tailable
        """);

    /// Names that MongoDB and other gateways use for the same, in lower case.
    private static final Map<String, String> MEANT = byWord(Map.of(
            "pagesize", "limit size per_page perpage",
            "page", "skip offset",
            "filter", "query q where",
            "keys", "projection fields select",
            "sort", "order order_by orderby",
            "wm=upsert", "upsert",
            "checkEtag", "etag if_match ifmatch",
            "sid", "session sessionid session_id",
            "txn", "tx txid trx trxid txnid txn_id transactionid transaction_id transaction"));

    /// Comparisons in the syntax of other gateways: `year=eq.1975`.
    private static final Pattern COMPARISON = Pattern.compile("(not\\.)?(eq|neq|gt|gte|lt|lte|like|ilike|in|is)\\..*");

    /// What may be a field: unlike what is appended against caches (`_=1700000000`, `v=2`) and by advertising, and
    /// credentials, which are not repeated.
    private static final Pattern FIELD = Pattern.compile(
            "(?!utm_|ts$|cb$|rnd$)(?!\\w*(token|secret|passw|api_?key))[a-z]\\w{1,29}(\\.\\w{1,30}){0,5}",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern BRACKETS = Pattern.compile("(\\w+)\\[(.*)", Pattern.DOTALL);

    private static final Pattern JSON_SCALAR = Pattern.compile("-?(0|[1-9]\\d{0,17})(\\.\\d{1,17})?|true|false|null");

    private static final Pattern SHORT_TEXT = Pattern.compile("[\\w .@:-]{1,40}");

    private static final int MAX_WARNINGS = 10;
    private static final int MAX_NAME = 50;

    /// Names of this length or less are never refused for their similarity: almost any is similar to a known
    /// one, and access rules may use it.
    private static final int SHORT_NAME = 3;

    private UnknownParameters() {}

    private static Map<String, String> byWord(Map<String, String> words) {
        var meant = new HashMap<String, String>();
        words.forEach((name, others) -> Words.of(others).forEach(other -> meant.put(other, name)));
        return Map.copyOf(meant);
    }

    /// Whether it is a parameter of its own, so that no variable of an aggregation can be bound by it.
    public static boolean isKnown(String name) {
        return KNOWN.contains(name);
    }

    /// Warnings about unknown parameters that are similar to known ones or look like conditions.
    ///
    /// @param variables that are known too: those of an aggregation
    /// @throws ProblemException 400 for one that is refused
    public static List<String> of(Request request, ResourceKind kind, Set<String> variables, boolean strict) {
        var warnings = new ArrayList<String>();
        for (var name : request.query().names()) {
            boolean ofSchema = kind == ResourceKind.COLLECTION_VIOLATIONS;
            if (!KNOWN.contains(name) && !variables.contains(name) && !(ofSchema && name.equals("schema"))) {
                var value = request.query().first(name).orElse("");
                var help = ofSchema ? help(name, value, WITH_SCHEMA) : help(name, value, KNOWN);
                var text = unknown(name) + help.orElse("");
                if (strict || (help.isPresent() && cannotBeUndone(request, kind, name))) {
                    throw refusal(text);
                }
                if (warnings.size() < MAX_WARNINGS) {
                    if (OPTIONS_OF_MONGODB.contains(name)) {
                        warnings.add(
                                "the parameter " + name + " has no effect: clients cannot set this option of MongoDB");
                    } else if (help.isPresent()) {
                        warnings.add(text);
                    } else if (kind == ResourceKind.AGGREGATION) {
                        assignment(name, value)
                                .ifPresent(meant -> warnings.add("the parameter " + name
                                        + " is no variable of the aggregation; variables are passed as avars="
                                        + meant));
                    } else if (hasFilter(request, kind)) {
                        assignment(name, value)
                                .ifPresent(meant -> warnings.add("the parameter " + name
                                        + " selects no documents; a condition is written as filter=" + meant));
                    }
                }
            }
        }
        if (request.method() == Method.DELETE
                && kind == ResourceKind.BULK_FILES
                && !request.query().has("filter")
                && request.query().names().stream().anyMatch(name -> !KNOWN.contains(name))) {
            throw refusal("unknown parameter beside a deletion of all files; the files to delete are named by filter");
        }
        return warnings;
    }

    /// Refuses JSON that is written with brackets: without its condition a request would concern other documents.
    ///
    /// @throws ProblemException 400 with the right form
    static void refuseBrackets(Query query) {
        for (var name : query.names()) {
            var brackets = BRACKETS.matcher(name);
            if (brackets.matches() && JSON.contains(brackets.group(1))) {
                var key = brackets.group(2).replaceFirst("]$", "").replace("][", ".");
                var form = assignment(key, query.first(name).orElse("")).orElse("{\"field\": value}");
                throw refusal("the parameter " + ShortText.of(name, MAX_NAME) + " has no effect; JSON is written as "
                        + brackets.group(1) + "=" + form);
            }
        }
    }

    /// The variables of an aggregation that its query parameters bind, beside those of `avars`. Names of parameters of
    /// this API keep their meaning.
    ///
    /// @param variables that the aggregation reads
    static BsonDocument variables(Query query, Set<String> variables) {
        var bound = new BsonDocument();
        for (var name : query.names()) {
            if (variables.contains(name) && !KNOWN.contains(name)) {
                bound.append(name, value(query.first(name).orElse("")));
            }
        }
        return bound;
    }

    /// JSON where it is unmistakable, else text.
    private static BsonValue value(String text) {
        if (JSON_SCALAR.matcher(text).matches()
                || text.startsWith("{")
                || text.startsWith("[")
                || text.startsWith("\"")) {
            try {
                return JsonParser.parse(text);
            } catch (MalformedJsonException _) {
                return new BsonString(text);
            }
        }
        return new BsonString(text);
    }

    /// Whether the documents that a request concerns are chosen by a filter.
    private static boolean hasFilter(Request request, ResourceKind kind) {
        return switch (kind) {
            case COLLECTION, FILES_BUCKET, SCHEMA_STORE ->
                request.method() == Method.GET || request.method() == Method.HEAD;
            case COLLECTION_SIZE, FILES_BUCKET_SIZE, SCHEMA_STORE_SIZE, BULK_DOCUMENTS, BULK_FILES, BULK_SCHEMAS ->
                true;
            default -> false;
        };
    }

    /// A parameter that is probably meant as a condition on a field, or as a variable, as JSON. An access rule may read
    /// it, so that warnings do not call it unknown.
    private static Optional<String> assignment(String name, String value) {
        if (!FIELD.matcher(name).matches()) {
            return Optional.empty();
        }
        if (JSON_SCALAR.matcher(value).matches()) {
            return Optional.of("{\"" + name + "\":" + value + "}");
        }
        return SHORT_TEXT.matcher(value).matches()
                ? Optional.of("{\"" + name + "\":\"" + value + "\"}")
                : Optional.empty();
    }

    /// The same for resources with parameters of their own.
    ///
    /// @param others those parameters
    /// @throws ProblemException 400 for an unknown parameter, if these are refused
    public static void refuse(Request request, Set<String> others, boolean strict) {
        if (strict) {
            for (var name : request.query().names()) {
                if (!KNOWN.contains(name) && !others.contains(name)) {
                    throw refusal(unknown(name)
                            + help(name, request.query().first(name).orElse(""), KNOWN)
                                    .orElse(""));
                }
            }
        }
    }

    /// Whether the request writes many documents, might run outside of the transaction that the client intended, or
    /// changes a document although the client has named a condition.
    ///
    /// @param similar to a known parameter
    private static boolean cannotBeUndone(Request request, ResourceKind kind, String similar) {
        if (request.method().isSafe()) {
            return false;
        }
        var meant = meant(similar, KNOWN);
        if (isInSession(request) && meant.equals(Optional.of("txn"))) {
            return true;
        }
        boolean isLong = similar.length() > SHORT_NAME || MEANT.containsKey(similar.toLowerCase(Locale.ROOT));
        boolean changes = request.method() == Method.DELETE || request.method() == Method.PATCH;
        return isLong
                && (isInSession(request)
                        || (changes
                                && (kind.isBulk()
                                        || meant.filter(CONDITIONS::contains).isPresent())));
    }

    private static boolean isInSession(Request request) {
        return request.query().has("sid");
    }

    private static ProblemException refusal(String text) {
        return new ProblemException(PARAMETER_INVALID, text);
    }

    private static String unknown(String name) {
        return "unknown parameter " + ShortText.of(name, MAX_NAME);
    }

    /// A hint about what the client probably meant; empty if the parameter is similar to no known one.
    private static Optional<String> help(String name, String value, Set<String> known) {
        if (COMPARISON.matcher(value).matches()) {
            return Optional.of("; conditions are written as filter={\"field\": value}");
        }
        if (name.length() > MAX_NAME) {
            return Optional.empty();
        }
        return meant(name, known).map(meant -> "; did you mean " + meant + "?");
    }

    private static Optional<String> meant(String name, Set<String> known) {
        var bare = name.split("[\\[.]", 2)[0]; // also of objects that are written as query[year] or filter.year
        return Optional.ofNullable(MEANT.get(bare.toLowerCase(Locale.ROOT)))
                .or(() -> Nearest.to(name, known))
                .or(() -> Optional.of(bare).filter(known::contains));
    }
}
