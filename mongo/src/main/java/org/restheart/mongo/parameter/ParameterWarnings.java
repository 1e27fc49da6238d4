package org.restheart.mongo.parameter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.bson.JsonMode;
import org.restheart.http.Method;
import org.restheart.http.Nearest;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Key;
import org.restheart.mongo.parameter.FormatParameters.Representation;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.resource.ResourcePath;

/// Warnings about a request that is not refused.
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

    /// Parameters of queries that an aggregation does not read.
    private static final List<String> OF_QUERIES = List.of("filter", "keys", "sort", "sort_by");

    /// Parameters that have their effect by being there, whatever their value.
    private static final List<String> FLAGS = List.of("count", "np", "nocache", "checkEtag");

    private static final Pattern NO = Pattern.compile("false|0|no|off|none", Pattern.CASE_INSENSITIVE);

    private static final OfParameters NONE = new OfParameters(List.of(), List.of());

    private ParameterWarnings() {}

    /// The warnings about the parameters of a request.
    ///
    /// @param former those that clients of earlier versions know
    /// @param further about parameters of which earlier versions said nothing
    public record OfParameters(List<String> former, List<String> further) {
        public List<String> all() {
            return Stream.concat(former.stream(), further.stream()).toList();
        }
    }

    /// @throws org.restheart.http.ProblemException 400 for a parameter without effect, where these are refused
    public static OfParameters of(Request request, Parameters.Settings settings) {
        if (!request.query().names().isEmpty()) {
            return new OfParameters(former(request.query(), settings), further(request, settings));
        }
        return ofKey(request)
                .map(text -> new OfParameters(List.of(), List.of(text)))
                .orElse(NONE);
    }

    /// A client that repeats a change in the belief that its key prevents it from being made twice.
    private static Optional<String> ofKey(Request request) {
        return switch (request.method()) {
            case PUT, PATCH, DELETE ->
                request.headers()
                        .first("Idempotency-Key")
                        .map(_ -> "Idempotency-Key has no effect on " + request.method()
                                + ": a repeated request is carried out again, unless it has If-Match");
            default -> Optional.empty();
        };
    }

    /// An insert has nothing to narrow.
    private static Optional<String> ofFilter(Request request, ResourceKind kind) {
        boolean creates = request.method() == Method.POST && kind.isCollection();
        var name = request.query().used("wm");
        boolean inserts = kind == ResourceKind.FILES_BUCKET
                || request.query().first(name).flatMap(WriteMode::of).orElse(WriteMode.INSERT) == WriteMode.INSERT;
        return creates && inserts && request.query().has("filter")
                ? Optional.of("the parameter filter has no effect on an insert")
                : Optional.empty();
    }

    private static List<String> former(Query query, Parameters.Settings settings) {
        var warnings = new ArrayList<String>();
        query.first("rep")
                .filter(name -> Representation.of(name).isEmpty())
                .ifPresent(name -> warnings.add("illegal rep parameter " + name
                        + " (must be STANDARD, HAL or SHAL); using " + settings.representation()));
        for (var sort : query.all(query.used("sort"))) {
            FORMER_FIELDS.stream()
                    .filter(sort::contains)
                    .forEach(field -> warnings.add("sorting by " + field + ", which the server does not maintain"));
        }
        return warnings;
    }

    private static List<String> further(Request request, Parameters.Settings settings) {
        UnknownParameters.refuseBrackets(request.query());
        var warnings = new ArrayList<String>();
        for (var text : withoutEffect(request.query())) {
            if (settings.strict()) {
                throw new ProblemException(ProblemCode.PARAMETER_INVALID, text);
            }
            warnings.add(text);
        }
        var kind = request.require(ResourcePath.KEY).kind();
        if (kind == ResourceKind.AGGREGATION) {
            OF_QUERIES.stream()
                    .filter(request.query()::has)
                    .forEach(name -> warnings.add("the parameter " + name + " has no effect on an aggregation;"
                            + " values for its stages are passed in avars"));
        }
        if (kind.isBulk()) {
            bulkWrite(request, warnings);
        }
        ofKey(request).ifPresent(warnings::add);
        ofFilter(request, kind).ifPresent(warnings::add);
        if (request.method() != Method.PATCH && request.query().has("arrayFilters")) {
            warnings.add("the parameter arrayFilters has no effect on " + request.method());
        }
        if (kind.hasId() && request.query().has("collation")) {
            warnings.add("the parameter collation has no effect on one document, which has exactly its id");
        }
        if (kind != ResourceKind.CHANGE_STREAM && kind != ResourceKind.AGGREGATION) { // their definitions name some
            warnings.addAll(UnknownParameters.of(request, kind, Set.of(), settings.strict()));
        }
        return warnings;
    }

    /// What has an effect on a write of one document only.
    private static void bulkWrite(Request request, List<String> warnings) {
        var name = request.query().used("wm");
        if (request.query()
                        .first(name)
                        .flatMap(WriteMode::of)
                        .filter(WriteMode.UPDATE::equals)
                        .isEmpty()
                && request.query().has(name)) {
            warnings.add("the parameter " + name + " has no effect on many documents, which are never created");
        }
        if (request.query().has("checkEtag")
                || request.headers().first("If-Match").isPresent()) {
            warnings.add("entity tags are not compared by a write of many documents; a filter is");
        }
    }

    /// Warnings about known parameters with an invalid value, for which the default is used.
    private static List<String> withoutEffect(Query query) {
        var all = new ArrayList<String>();
        query.first("jsonMode")
                .filter(mode -> JsonMode.of(mode).isEmpty())
                .ifPresent(_ -> all.add("illegal jsonMode parameter, which has no effect (must be one of "
                        + JsonMode.ofParameter().stream()
                                .map(mode -> mode.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))
                        + ")"));
        var name = query.used("wm");
        query.first(name)
                .filter(mode -> WriteMode.of(mode).isEmpty())
                .ifPresent(_ -> all.add(
                        "illegal " + name + " parameter, which has no effect (must be insert, update or upsert)"));
        for (var flag : FLAGS) {
            query.first(flag)
                    .filter(value -> NO.matcher(value).matches())
                    .ifPresent(value -> all.add("the value " + value + " of " + flag
                            + " has no effect: the parameter counts by being there; leave it out"));
        }
        query.first("count")
                .filter(value -> !value.equalsIgnoreCase("estimated"))
                .flatMap(value -> Nearest.to(value, List.of("estimated")))
                .ifPresent(meant -> all.add("this count is exact; did you mean count=" + meant + "?"));
        if (query.has("txn") && !query.has("sid")) {
            all.add("the parameter txn has no effect without sid");
        }
        all.addAll(Parameters.ConcernParameters.withoutEffect(query));
        var parameter = query.used("sort");
        for (var value : query.all(parameter)) {
            var sort = value.strip();
            meantOrder(parameter, sort)
                    .ifPresent(meant -> all.add("the sort parameter " + sort + " names a field as a whole; " + meant));
        }
        return all;
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
}
