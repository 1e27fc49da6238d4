package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.ShortText;
import org.restheart.http.access.Grant;

/// Warns of what MongoDB takes literally in a permission's filters, and is probably meant otherwise.
final class FilterWarnings {
    private static final int MAX_QUOTED = 150;

    /// A variable of the account without its sign, or as templates elsewhere are written.
    private static final Pattern UNSIGNED = Pattern.compile("[${]*(user\\.[A-Za-z0-9_.]+)}*");

    /// An object that has one of these as its only key is probably a condition.
    private static final Set<String> WITHOUT_SIGN =
            Set.of("eq", "ne", "gt", "gte", "lt", "lte", "not", "exists", "regex", "elemMatch");

    private static final Set<String> OF_LISTS = Set.of("in", "nin", "all");

    private FilterWarnings() {}

    /// What is accepted and would probably match nothing, or set something else than is meant.
    static List<String> of(Grant grant) {
        var warnings = new ArrayList<String>();
        grant.readFilter().ifPresent(filter -> addAll("readFilter", filter, warnings));
        grant.writeFilter().ifPresent(filter -> addAll("writeFilter", filter, warnings));
        grant.mergeRequest()
                .ifPresent(merged -> merged.forEach((field, value) -> add("mergeRequest", field, value, warnings)));
        return warnings;
    }

    private static void addAll(String name, BsonDocument filter, List<String> warnings) {
        filter.forEach((key, value) -> {
            if (value instanceof BsonArray all && Set.of("$and", "$or", "$nor").contains(key)) {
                all.stream().filter(BsonValue::isDocument).forEach(each -> addAll(name, each.asDocument(), warnings));
            } else if (value instanceof BsonArray all
                    && Set.of("and", "or", "nor").contains(key)
                    && all.stream().anyMatch(BsonValue::isDocument)) {
                warnings.add(text(name, "a condition on the property " + key, "$" + key));
            } else if (value instanceof BsonDocument object && object.size() == 1) {
                var operator = object.getFirstKey();
                if (WITHOUT_SIGN.contains(operator) || (OF_LISTS.contains(operator) && object.isArray(operator))) {
                    warnings.add(text(
                            name, "a comparison of " + key + " with an object, {" + operator + ": …}", "$" + operator));
                } else if (operator.equals("$eq") || operator.equals("$ne")) {
                    add(name, key, object.values().iterator().next(), warnings);
                }
            } else {
                add(name, key, value, warnings);
            }
        });
    }

    private static void add(String name, String field, BsonValue value, List<String> warnings) {
        if (value instanceof BsonString text) {
            var matcher = UNSIGNED.matcher(text.getValue());
            if (matcher.matches()) {
                // such as the kind of an event: no question, since the text may be meant
                warnings.add("mongo." + name + " has "
                        + ShortText.of("the text " + text.getValue() + " for " + field, MAX_QUOTED)
                        + ", which is taken literally; a property of the account is written @" + matcher.group(1));
            }
        }
    }

    private static String text(String name, String what, String meant) {
        return "mongo." + name + " has " + ShortText.of(what, MAX_QUOTED) + "; did you mean " + meant + "?";
    }
}
