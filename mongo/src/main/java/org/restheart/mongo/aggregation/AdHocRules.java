package org.restheart.mongo.aggregation;

import static org.restheart.http.ProblemCode.FORBIDDEN;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.bson.BsonValue;
import org.restheart.http.Problem;

/// Stages and operators that a client's pipeline must not contain at any depth, even if the configuration allows them
/// in stored pipelines.
final class AdHocRules {
    private static final Set<String> NEVER = Set.of(
            "$out",
            "$merge",
            "$where",
            "$function",
            "$accumulator",
            "$changestream",
            "$changestreamsplitlargeevent",
            "$currentop",
            "$listsessions",
            "$listlocalsessions",
            "$listsampledqueries",
            "$listclustercatalog",
            "$listsearchindexes",
            "$listcatalog",
            "$plancachestats",
            "$indexstats",
            "$collstats",
            "$querystats",
            "$shardeddatadistribution");

    /// Stages that read collections which the permission does not cover.
    private static final Set<String> OTHER_COLLECTIONS = Set.of("$lookup", "$graphlookup", "$unionwith");

    private AdHocRules() {}

    /// @param unrestricted whether the caller may read every collection
    /// @throws org.restheart.http.ProblemException 403
    static void check(List<? extends BsonValue> stages, boolean unrestricted) {
        for (int i = 0; i < stages.size(); i++) {
            check(stages.get(i), unrestricted, "pipeline[" + i + "]");
        }
    }

    private static void check(BsonValue value, boolean unrestricted, String location) {
        if (value.isDocument()) {
            value.asDocument().forEach((name, member) -> {
                var lower = name.toLowerCase(Locale.ROOT);
                if (lower.startsWith("$_internal")
                        || NEVER.contains(lower)
                        || (!unrestricted && OTHER_COLLECTIONS.contains(lower))) {
                    throw Problem.of(
                                    FORBIDDEN,
                                    "'" + name + "' at " + location + " is not allowed in pipelines of clients")
                            .raise();
                }
                check(member, unrestricted, location + "." + name);
            });
        } else if (value.isArray()) {
            for (int i = 0; i < value.asArray().size(); i++) {
                check(value.asArray().get(i), unrestricted, location + "[" + i + "]");
            }
        }
    }
}
