package org.restheart.mongo.parameter;

import java.util.ArrayList;
import java.util.List;
import org.restheart.http.Query;

/// Warnings about a request that is not refused.
public final class Warnings {
    /// Fields of former versions; documents have `_id`, which contains their creation time, and `_etag`.
    private static final List<String> FORMER_FIELDS = List.of("_created_on", "_last_updated_on");

    private Warnings() {}

    public static List<String> of(Query query, ParameterSettings settings) {
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
        return warnings;
    }
}
