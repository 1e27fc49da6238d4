package org.restheart.rest.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.parameter.DataParameter.ARRAY_FILTERS;
import static org.restheart.http.parameter.DataParameter.EXPLAIN;
import static org.restheart.http.parameter.DataParameter.FILTER;
import static org.restheart.http.parameter.DataParameter.HINT;
import static org.restheart.http.parameter.DataParameter.KEYS;
import static org.restheart.http.parameter.DataParameter.REPRESENTATION;
import static org.restheart.http.parameter.DataParameter.SESSION;
import static org.restheart.http.parameter.DataParameter.SHARD_KEY;
import static org.restheart.http.parameter.DataParameter.SORT;
import static org.restheart.http.parameter.DataParameter.TRANSACTION;
import static org.restheart.http.parameter.DataParameter.WRITE_MODE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Hint;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Key;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.DataParameter.Reveals;
import org.restheart.http.parameter.OperationTable;
import org.restheart.http.parameter.ValueForm;
import org.restheart.rest.resource.ResourcePath;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// Warnings about the parameters of a request: those without effect, and unknown ones that are similar to known ones or
/// probably meant as conditions. What is similar is refused if the request cannot be undone; all that is unknown is
/// refused if the configuration says so.
public final class ParameterWarnings {
    /// The warnings of a request, for representations that include them.
    public static final Key<List<String>> KEY = Key.named("warnings");

    /// Fields of former versions; documents have `_id`, which contains their creation time, and `_etag`.
    private static final List<String> FORMER_FIELDS = List.of("_created_on", "_last_updated_on");

    /// As `name:-1`, `name desc` or `name,desc`.
    private static final Pattern ORDER_OF_OTHERS = Pattern.compile(
            "[-+]?[\\w.]{1,100}(:\\s*(-?1|asc|desc)|,\\s*(asc|desc)| (asc|desc))", Pattern.CASE_INSENSITIVE);

    /// As `name,-year`: several fields, in the syntax of other gateways.
    private static final Pattern SEVERAL = Pattern.compile("[-+]?[\\w.]{1,100}(\\s*,\\s*[-+]?[\\w.]{1,100}){1,20}");

    private static final Pattern NO = Pattern.compile("false|0|no|off|none", Pattern.CASE_INSENSITIVE);

    private static final int MAX_QUOTED = 50;

    /// Options of MongoDB's commands that clients cannot set.
    private static final Set<String> OPTIONS_OF_MONGODB = Words.of("""
        allowDiskUse allowPartialResults awaitData batchSize bypassDocumentValidation comment let maxAwaitTimeMS
        maxTimeMS noCursorTimeout returnKey showRecordId singleBatch tailable
        """);

    /// Comparisons in the syntax of other gateways: `year=eq.1975`.
    private static final Pattern COMPARISON = Pattern.compile("(not\\.)?(eq|neq|gt|gte|lt|lte|like|ilike|in|is)\\..*");

    /// What may be a field: unlike what is appended against caches (`_=1700000000`, `v=2`) and by advertising, and
    /// credentials, which are not repeated.
    private static final Pattern FIELD = Pattern.compile(
            "(?!utm_|ts$|cb$|rnd$)(?!\\w*(token|secret|passw|api_?key))[a-z]\\w{1,29}(\\.\\w{1,30}){0,5}",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern BRACKETS = Pattern.compile("(\\w+)\\[(.*)", Pattern.DOTALL);

    /// Those whose members are paths of fields.
    private static final Set<DataParameter> OF_FIELDS = Set.of(FILTER, KEYS, SORT, HINT, SHARD_KEY);

    private static final int MAX_BRACKETS = 6;

    /// Between brackets, unless it may name what is secret.
    private static final Pattern IN_BRACKETS =
            Pattern.compile("(?!\\w*(token|secret|passw|api_?key))[\\w.$]{0,60}", Pattern.CASE_INSENSITIVE);

    private static final Pattern POSITION = Pattern.compile("\\d*");

    private static final Pattern JSON_SCALAR = Pattern.compile("-?(0|[1-9]\\d{0,17})(\\.\\d{1,17})?|true|false|null");

    private static final Pattern SHORT_TEXT = Pattern.compile("[\\w .@:-]{1,40}");

    private static final int MAX_WARNINGS = 10;

    /// Names of this length or less are never refused for their similarity: almost any is similar to a known
    /// one, and access rules may use it.
    private static final int SHORT_NAME = 3;

    /// What is said of requests; what is said of single values is below.
    private static final List<Hint<Asked>> HINTS = List.of(
            // a client that repeats a change in the belief that its key prevents it from being made twice
            Hint.of(
                    asked -> asked.has("Idempotency-Key") && asked.changes(),
                    asked -> "Idempotency-Key has no effect on " + asked.request.method()
                            + ": a repeated request is carried out again, unless it has If-Match"),
            Hint.of(
                    asked -> asked.use == Write.INSERT && asked.has(FILTER) && !asked.mayMatch(),
                    "the parameter filter has no effect on an insert"),
            Hint.of(
                    asked -> asked.kind.isBulk()
                            && (asked.has(DataParameter.CHECK_ETAG)
                                    || asked.has("If-Match")
                                    || asked.has("If-None-Match")),
                    "entity tags are not compared by a write of many documents; a filter is"),
            // whoever writes a;b would change a
            Hint.of(
                    asked -> hasPathParameters(asked.request),
                    "path parameters have no effect: a semicolon within a name is written %3B"));

    private static final OfParameters NONE = new OfParameters(List.of(), List.of());

    private ParameterWarnings() {}

    private record Asked(Request request, ResourceKind kind, Operation use) {
        boolean has(DataParameter parameter) {
            return parameter.isIn(request.query());
        }

        boolean has(String header) {
            return request.headers().has(header);
        }

        boolean changes() {
            return switch (request.method()) {
                case PUT, PATCH, DELETE -> true;
                case GET, HEAD, OPTIONS, POST -> false;
            };
        }

        /// Whether a `POST` may change a document that is there.
        boolean mayMatch() {
            return WRITE_MODE
                    .choice(request.query())
                    .filter(mode -> !mode.equals("insert"))
                    .isPresent();
        }
    }

    /// @param former those that clients of earlier versions know
    /// @param further about parameters of which earlier versions said nothing
    public record OfParameters(List<String> former, List<String> further) {
        public List<String> all() {
            var all = new ArrayList<>(former);
            all.addAll(further);
            return all;
        }
    }

    /// @throws org.restheart.http.ProblemException 400 for a parameter without effect, where these are refused
    public static OfParameters of(Request request, Parameters.Settings settings) {
        var query = request.query();
        var kind = request.require(ResourcePath.KEY).kind();
        var asked = new Asked(request, kind, OperationTable.of(kind, request.method()));
        if (isEveryday(query, asked.use)
                && !request.headers().has("Idempotency-Key")
                && !request.headers().has("If-Match")
                && !hasPathParameters(request)) {
            return NONE;
        }
        return of(asked, query, settings);
    }

    private static boolean hasPathParameters(Request request) {
        return request.path().raw().indexOf(';') >= 0;
    }

    /// Whether all parameters are of those about whose values nothing is ever said, and have an effect: most requests
    /// need no closer look.
    private static boolean isEveryday(Query query, Operation use) {
        for (var name : query.names()) {
            var parameter = DataParameter.of(name);
            if (parameter.isEmpty()
                    || !hasPlainValues(parameter.get())
                    || !parameter.get().appliesTo(use)) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasPlainValues(DataParameter parameter) {
        return switch (parameter.form()) {
            case ValueForm.Int _ -> true;
            case ValueForm.Json _ -> parameter != SORT;
            case ValueForm.Flag _, ValueForm.Switch _, ValueForm.Choice _, ValueForm.Text _ -> false;
        };
    }

    private static OfParameters of(Asked asked, Query query, Parameters.Settings settings) {
        var further = new ArrayList<String>();
        if (!query.names().isEmpty()) {
            refuseBrackets(query);
            refusePlanOfChange(asked);
            further.addAll(withoutEffect(query, settings));
            DataParameter.in(query).stream()
                    .filter(parameter -> isMeaningless(parameter, asked.use))
                    .forEach(parameter -> further.add(
                            "the parameter " + parameter.nameIn(query) + " has no effect on " + asked.use.object()));
        }
        further.addAll(Hint.about(asked, HINTS));
        if (asked.use != Read.WATCH && asked.kind != ResourceKind.AGGREGATION) { // their definitions name some
            further.addAll(ofUnknown(asked.request, asked.kind, Set.of(), settings.strict()));
        }
        return new OfParameters(former(query), further);
    }

    /// A client that wants to see the plan does not expect that anything is changed.
    private static void refusePlanOfChange(Asked asked) {
        if (asked.has(EXPLAIN) && (asked.use instanceof Write || asked.use instanceof Structure)) {
            throw refusal("explain is the plan of a read, and this request changes data: leave it out; the plan of a"
                    + " filter is that of GET with the same one");
        }
    }

    /// Whether a parameter on which the documents of a request could depend is without effect. One that selects
    /// documents is refused where the request concerns the whole collection.
    private static boolean isMeaningless(DataParameter parameter, Operation use) {
        boolean matters = parameter.reveals() != Reveals.NOTHING || parameter == WRITE_MODE;
        boolean isForUpsert = use == Write.INSERT && (parameter == FILTER || parameter == SHARD_KEY);
        return matters && !parameter.appliesTo(use) && !isForUpsert && !(use.isOfWhole() && parameter.selects());
    }

    private static List<String> former(Query query) {
        var warnings = new ArrayList<String>();
        ofValue(REPRESENTATION, query).ifPresent(warnings::add);
        for (var sort : SORT.texts(query)) {
            FORMER_FIELDS.stream()
                    .filter(sort::contains)
                    .forEach(field -> warnings.add("sorting by " + field + ", which the server does not maintain"));
        }
        return warnings;
    }

    /// Warnings about known parameters with an invalid value, for which the default is used.
    private static List<String> withoutEffect(Query query, Parameters.Settings settings) {
        var all = new ArrayList<String>();
        DataParameter.in(query).stream()
                .filter(parameter -> parameter != REPRESENTATION)
                .flatMap(parameter -> ofValue(parameter, query).stream())
                .forEach(all::add);
        if (TRANSACTION.isIn(query) && !SESSION.isIn(query)) {
            all.add("the parameter txn has no effect without sid");
        }
        for (var value : SORT.texts(query)) {
            var sort = value.strip();
            meantOrder(SORT.nameIn(query), sort)
                    .ifPresent(meant -> all.add("the sort parameter " + sort + " names a field as a whole; " + meant));
        }
        if (settings.strict() && !all.isEmpty()) {
            throw new ProblemException(PARAMETER_INVALID, all.getFirst());
        }
        return all;
    }

    /// What is said of a value that is not one of those that a parameter has.
    private static Optional<String> ofValue(DataParameter parameter, Query query) {
        var name = parameter.nameIn(query);
        return parameter.first(query).flatMap(value -> switch (parameter.form()) {
            case ValueForm.Choice choice
            when !choice.required() && parameter.choice(query).isEmpty() ->
                Optional.of("illegal " + name + " parameter " + ShortText.of(value, MAX_QUOTED)
                        + ", which has no effect (must be " + choice.text() + ")");
            case ValueForm.Flag _
            when NO.matcher(value).matches() ->
                Optional.of("the value " + value + " of " + name
                        + " has no effect: the parameter counts by being there; leave it out");
            case ValueForm.Flag(var special)
            when !value.equalsIgnoreCase(special) ->
                Nearest.to(value, List.of(special))
                        .map(meant ->
                                "the value " + value + " of " + name + " has no effect; did you mean " + meant + "?");
            case ValueForm.Flag _,
                    ValueForm.Switch _,
                    ValueForm.Choice _,
                    ValueForm.Int _,
                    ValueForm.Json _,
                    ValueForm.Text _ -> Optional.empty();
        });
    }

    private static Optional<String> meantOrder(String parameter, String sort) {
        if (ORDER_OF_OTHERS.matcher(sort).matches()) {
            return Optional.of("orders are written as -field or {\"field\": -1}");
        }
        if (SEVERAL.matcher(sort).matches()) {
            return Optional.of("several are written as "
                    + Arrays.stream(sort.split("\\s*,\\s*"))
                            .map(field -> parameter + "=" + (field.startsWith("+") ? field.substring(1) : field))
                            .collect(Collectors.joining("&")));
        }
        return sort.startsWith("\"")
                ? Optional.of("an object has braces, which curl keeps with the option -g")
                : Optional.empty();
    }

    /// Warnings about unknown parameters that are similar to known ones or look like conditions.
    ///
    /// @param variables that are known too: those of an aggregation, or what a stream asks its listeners for
    /// @throws ProblemException 400 for one that is refused
    public static List<String> ofUnknown(Request request, ResourceKind kind, Set<String> variables, boolean strict) {
        var warnings = new ArrayList<String>();
        var use = OperationTable.of(kind, request.method());
        for (var name : request.query().names()) {
            if (isKnown(name, use) || variables.contains(name)) {
                continue;
            }
            var value = request.query().first(name).orElse("");
            var help = help(name, value, use);
            var text = unknown(name) + help.orElse("");
            if (strict || (help.isPresent() && cannotBeUndone(request, kind, name))) {
                throw refusal(text);
            }
            if (warnings.size() < MAX_WARNINGS) {
                if (OPTIONS_OF_MONGODB.contains(name)) {
                    warnings.add("the parameter " + name + " has no effect: clients cannot set this option of MongoDB");
                } else if (help.isPresent()) {
                    warnings.add(text);
                } else {
                    ofAssignment(name, value, use).ifPresent(warnings::add);
                }
            }
        }
        if (request.method() == Method.DELETE
                && kind == ResourceKind.BULK_FILES
                && !FILTER.isIn(request.query())
                && request.query().names().stream().anyMatch(name -> !isKnown(name, use))) {
            throw refusal("unknown parameter beside a deletion of all files; the files to delete are named by filter");
        }
        return warnings;
    }

    private static boolean isKnown(String name, Operation use) {
        return DataParameter.of(name)
                .filter(parameter -> parameter.isKnown(use))
                .isPresent();
    }

    /// What is said of a parameter that is probably meant as a condition on a field, or as a variable. An access rule
    /// may read it, so that no warning calls it unknown.
    private static Optional<String> ofAssignment(String name, String value, Operation use) {
        return switch (use) {
            case Read.RUN, Read.AGGREGATE ->
                assignment(name, value)
                        .map(meant -> "the parameter " + name
                                + " is no variable of the aggregation; variables are passed as avars=" + meant);
            case Read.FIND, Read.COUNT, Write.DELETE_MANY, Write.UPDATE_MANY ->
                assignment(name, value)
                        .map(meant -> "the parameter " + name
                                + " selects no documents; a condition is written as filter=" + meant);
            case Read _, Write _, Structure _, Other _ -> Optional.empty();
        };
    }

    /// Refuses JSON that is written with brackets: without its condition a request would concern other documents.
    ///
    /// @throws ProblemException 400 with the right form
    public static void refuseBrackets(Query query) {
        for (var name : query.names()) {
            var brackets = BRACKETS.matcher(name);
            var meant = brackets.matches()
                    ? DataParameter.of(brackets.group(1))
                            .filter(parameter -> parameter.form() instanceof ValueForm.Json)
                    : Optional.<DataParameter>empty();
            if (meant.isPresent()) {
                boolean isOfFields = OF_FIELDS.contains(meant.get());
                var form = ofBrackets(brackets.group(2), query.first(name).orElse(""), isOfFields)
                        .orElse(meant.get() == ARRAY_FILTERS ? "[{\"e.field\": value}]" : "{\"field\": value}");
                throw refusal("the parameter " + ShortText.of(name, MAX_QUOTED) + " has no effect; JSON is written as "
                        + brackets.group(1) + "=" + form);
            }
        }
    }

    /// The JSON that libraries serialize as `[a][$in][0]`, where what is no name is a position in an array.
    ///
    /// @param isOfFields whether names make the path of a field
    private static Optional<String> ofBrackets(String brackets, String value, boolean isOfFields) {
        var keys = List.of(brackets.replaceFirst("]$", "").split("]\\[", -1));
        boolean isText = SHORT_TEXT.matcher(value).matches();
        boolean isScalar = JSON_SCALAR.matcher(value).matches();
        if (!(isText || isScalar)
                || keys.size() > MAX_BRACKETS
                || !keys.stream().allMatch(IN_BRACKETS.asMatchPredicate())) {
            return Optional.empty();
        }
        var json = isScalar ? value : '"' + value + '"';
        for (var key : keys.reversed()) {
            if (POSITION.matcher(key).matches()) {
                json = "[" + json + "]";
            } else if (isOfFields && json.startsWith("{\"") && !json.startsWith("{\"$") && !key.startsWith("$")) {
                json = "{\"" + key + "." + json.substring(2);
            } else {
                json = "{\"" + key + "\":" + json + "}";
            }
        }
        return Optional.of(json);
    }

    /// The variables of an aggregation that its query parameters bind, beside those of `avars`. Names of parameters of
    /// this API keep their meaning.
    ///
    /// @param variables that the aggregation reads
    static BsonDocument variables(Query query, Set<String> variables) {
        var bound = new BsonDocument();
        for (var name : query.names()) {
            if (variables.contains(name) && !isKnown(name, Read.RUN)) {
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

    /// A parameter as JSON, if it may be a field.
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

    /// Whether the request writes many documents, might run outside of the transaction that the client intended, or
    /// changes a document although the client has named a condition.
    ///
    /// @param similar to a known parameter
    private static boolean cannotBeUndone(Request request, ResourceKind kind, String similar) {
        if (request.method().isSafe()) {
            return false;
        }
        var meant = meant(similar, OperationTable.of(kind, request.method()));
        if (isInSession(request) && meant.equals(Optional.of("txn"))) {
            return true;
        }
        boolean isLong =
                similar.length() > SHORT_NAME || DataParameter.meantBy(similar).isPresent();
        boolean changes = request.method() == Method.DELETE || request.method() == Method.PATCH;
        return isLong
                && (isInSession(request)
                        || (changes
                                && (kind.isBulk()
                                        || meant.flatMap(DataParameter::of)
                                                .filter(DataParameter::decidesWrites)
                                                .isPresent())));
    }

    private static boolean isInSession(Request request) {
        return SESSION.isIn(request.query());
    }

    private static ProblemException refusal(String text) {
        return new ProblemException(PARAMETER_INVALID, text);
    }

    private static String unknown(String name) {
        return "unknown parameter " + ShortText.of(name, MAX_QUOTED);
    }

    /// A hint about what the client probably meant; empty if the parameter is similar to no known one.
    private static Optional<String> help(String name, String value, Operation use) {
        if (COMPARISON.matcher(value).matches()) {
            return Optional.of("; conditions are written as filter={\"field\": value}");
        }
        return name.length() > MAX_QUOTED
                ? Optional.empty()
                : meant(name, use).map(meant -> "; did you mean " + meant + "?");
    }

    private static Optional<String> meant(String name, Operation use) {
        var bare = name.split("[^\\w-]", 2)[0]; // also of objects that are written as query[year] or filter.year
        var known = DataParameter.allNames().stream()
                .filter(each -> isKnown(each, use))
                .toList();
        return DataParameter.meantBy(bare)
                .or(() -> Nearest.to(name, known))
                .or(() -> Optional.of(bare).filter(known::contains))
                .or(() -> bare.length() > SHORT_NAME ? Nearest.to(bare, known) : Optional.empty());
    }
}
