package org.restheart.mongo.parameter;

import static org.restheart.http.parameter.DataParameter.FILTER;
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
import java.util.stream.Stream;
import org.restheart.http.Hint;
import org.restheart.http.Nearest;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.ShortText;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Key;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.DataParameter.Reveals;
import org.restheart.http.parameter.Use;
import org.restheart.http.parameter.ValueForm;
import org.restheart.mongo.resource.ResourcePath;

/// Warnings about the parameters of a request that is not refused.
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

    /// What is said of requests; what is said of single values is below.
    private static final List<Hint<Asked>> HINTS = List.of(
            // a client that repeats a change in the belief that its key prevents it from being made twice
            Hint.of(
                    asked -> asked.has("Idempotency-Key") && asked.changes(),
                    asked -> "Idempotency-Key has no effect on " + asked.request.method()
                            + ": a repeated request is carried out again, unless it has If-Match"),
            Hint.of(
                    asked -> asked.use == Use.CREATE && asked.has(FILTER) && !asked.mayMatch(),
                    "the parameter filter has no effect on an insert"),
            Hint.of(
                    asked -> asked.kind.isBulk() && (asked.has(DataParameter.CHECK_ETAG) || asked.has("If-Match")),
                    "entity tags are not compared by a write of many documents; a filter is"));

    private static final OfParameters NONE = new OfParameters(List.of(), List.of());

    private ParameterWarnings() {}

    private record Asked(Request request, ResourceKind kind, Use use) {
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
        var query = request.query();
        boolean isPlain = query.names().isEmpty();
        if (isPlain
                && !request.headers().has("Idempotency-Key")
                && !request.headers().has("If-Match")) {
            return NONE;
        }
        var kind = request.require(ResourcePath.KEY).kind();
        var asked = new Asked(request, kind, Use.of(kind, request.method()));
        var further = new ArrayList<String>();
        if (!isPlain) {
            UnknownParameters.refuseBrackets(query);
            further.addAll(withoutEffect(query, settings));
            DataParameter.in(query).stream()
                    .filter(parameter -> isMeaningless(parameter, asked.use))
                    .forEach(parameter -> further.add(
                            "the parameter " + parameter.nameIn(query) + " has no effect on " + asked.use.object()));
        }
        further.addAll(Hint.about(asked, HINTS));
        if (!isPlain && asked.use != Use.LISTEN && kind != ResourceKind.AGGREGATION) { // their definitions name some
            further.addAll(UnknownParameters.of(request, kind, Set.of(), settings.strict()));
        }
        return new OfParameters(former(query), further);
    }

    /// Whether a parameter on which the documents of a request could depend is without effect. One that selects
    /// documents is refused where the request concerns the whole collection.
    private static boolean isMeaningless(DataParameter parameter, Use use) {
        boolean matters = parameter.reveals() != Reveals.NOTHING || parameter == WRITE_MODE;
        boolean isForUpsert = use == Use.CREATE && (parameter == FILTER || parameter == SHARD_KEY);
        return matters && !parameter.appliesTo(use) && !isForUpsert && !(use == Use.MANAGE && parameter.selects());
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
            throw new ProblemException(ProblemCode.PARAMETER_INVALID, all.getFirst());
        }
        return all;
    }

    /// What is said of a value that is not one of those that a parameter has.
    private static Optional<String> ofValue(DataParameter parameter, Query query) {
        var name = parameter.nameIn(query);
        return parameter.first(query).flatMap(value -> switch (parameter.form()) {
            case ValueForm.Choice choice
            when parameter.choice(query).isEmpty() ->
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
}
