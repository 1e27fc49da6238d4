package org.restheart.mongo.parameter;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.restheart.http.Nearest;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Query;
import org.restheart.http.attribute.Key;

/// Warnings about a request that is not refused.
public final class Warnings {
    /// Those of the request, for representations that have room for them.
    public static final Key<List<String>> KEY = Key.named("warnings");

    /// Fields of former versions; documents have `_id`, which contains their creation time, and `_etag`.
    private static final List<String> FORMER_FIELDS = List.of("_created_on", "_last_updated_on");

    /// All that this API, and the steps in front of it, ever look at.
    private static final Set<String> KNOWN = Set.of(
            "after",
            "avars",
            "cache",
            "checkEtag",
            "count",
            "eager",
            "explain",
            "filter",
            "hal",
            "hint",
            "id_type",
            "jsonMode",
            "keys",
            "noauthchallenge",
            "nocache",
            "np",
            "page",
            "pagesize",
            "pretty",
            "readConcern",
            "readPreference",
            "rep",
            "shardkey",
            "sid",
            "sort",
            "sort_by",
            "txn",
            "wm",
            "writeConcern",
            "writeMode");

    /// How other gateways write comparisons, `year=eq.1975`.
    private static final Pattern COMPARISON = Pattern.compile("(not\\.)?(eq|neq|gt|gte|lt|lte|like|ilike|in|is)\\..*");

    private static final int MOST = 10;
    private static final int LONGEST = 50;

    private Warnings() {}

    /// @throws org.restheart.http.ProblemException 400 for an unknown parameter, where these are refused
    public static List<String> of(Query query, ParameterSettings settings) {
        if (query.names().isEmpty()) {
            return List.of();
        }
        var warnings = new ArrayList<String>();
        query.first("rep")
                .filter(name -> Representation.of(name).isEmpty())
                .ifPresent(name -> warnings.add("illegal rep parameter " + name
                        + " (must be STANDARD, HAL or SHAL); using " + settings.representation()));
        for (var sort : query.all(query.has("sort_by") ? "sort_by" : "sort")) {
            FORMER_FIELDS.stream()
                    .filter(sort::contains)
                    .forEach(field -> warnings.add("sorting by " + field + ", which the server does not maintain"));
        }
        for (var name : query.names()) {
            if (!KNOWN.contains(name)) {
                var help = help(name, query.first(name).orElse(""));
                if (settings.strict()) {
                    throw Problem.of(ProblemCode.PARAMETER_INVALID, unknown(name) + help.orElse(""))
                            .raise();
                }
                if (help.isPresent() && warnings.size() < MOST) {
                    warnings.add(unknown(name) + help.get());
                }
            }
        }
        return warnings;
    }

    private static String unknown(String name) {
        return "unknown parameter " + (name.length() <= LONGEST ? name : name.substring(0, LONGEST) + "…");
    }

    /// What the client probably meant; empty for a parameter that somebody else may want.
    private static Optional<String> help(String name, String value) {
        if (COMPARISON.matcher(value).matches()) {
            return Optional.of("; conditions are written as filter={\"field\": value}");
        }
        return name.length() > LONGEST
                ? Optional.empty()
                : Nearest.to(name, KNOWN).map(near -> "; did you mean " + near + "?");
    }
}
