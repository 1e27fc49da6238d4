package org.restheart.http.parameter;

import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.text.Words;

/// The value of the parameter `embed`: by the name of each relationship, what is read of it.
public final class EmbedValue {
    /// How many relationships lead from a document to those that are embedded deepest.
    private static final int MAX_DEPTH = 3;

    private static final int MAX_RELATIONSHIPS = 20;
    private static final int MAX_LIMIT = 1_000;
    private static final Set<String> OPTIONS = Words.of("limit sort keys filter embed");

    private EmbedValue() {}

    /// @return an object, or a list of those that the names of the short form stand for
    /// @throws ProblemException 400
    static BsonValue parse(String parameter, String text) {
        var wanted = text.strip().startsWith("{") ? JsonValues.object(parameter, text) : named(text);
        int count = 0;
        for (var each : BsonValues.several(wanted)) {
            count += check(each.asDocument(), 1);
        }
        requireFew(count);
        return wanted;
    }

    /// One object for all values of the parameter.
    ///
    /// @throws ProblemException 400 if they are too many
    public static BsonDocument merged(List<BsonDocument> all) {
        var merged = merge(all);
        requireFew(check(merged, 1));
        return merged;
    }

    private static BsonDocument merge(List<BsonDocument> all) {
        var merged = new BsonDocument();
        for (var one : all) {
            one.forEach((name, options) -> {
                var both = new BsonDocument();
                both.putAll(merged.getDocument(name, new BsonDocument()));
                var below = both.getDocument("embed", new BsonDocument());
                both.putAll(options.asDocument());
                if (!below.isEmpty()) {
                    both.put("embed", merge(List.of(below, both.getDocument("embed"))));
                }
                merged.put(name, both);
            });
        }
        return merged;
    }

    private static void requireFew(int relationships) {
        require(relationships <= MAX_RELATIONSHIPS, "has more than " + MAX_RELATIONSHIPS + " relationships");
    }

    private static BsonArray named(String text) {
        var all = new BsonArray();
        for (var path : text.split(",", -1)) {
            var options = new BsonDocument();
            var names = path.strip().split("\\.", -1);
            for (int i = names.length - 1; i >= 0; i--) {
                require(!names[i].isBlank(), "is names such as customer,lines.product, or an object");
                var named = new BsonDocument(names[i].strip(), options);
                options = i == 0 ? named : new BsonDocument("embed", named);
            }
            all.add(options);
        }
        return all;
    }

    /// @return how many relationships there are
    private static int check(BsonDocument wanted, int depth) {
        require(depth <= MAX_DEPTH, "is deeper than " + MAX_DEPTH + " relationships");
        int count = 0;
        for (var relationship : wanted.entrySet()) {
            var name = relationship.getKey();
            require(relationship.getValue().isDocument(), "has no object for '" + name + "'");
            count++;
            for (var option : relationship.getValue().asDocument().entrySet()) {
                checkOption(name, option.getKey(), option.getValue());
                count += option.getKey().equals("embed")
                        ? check(option.getValue().asDocument(), depth + 1)
                        : 0;
            }
        }
        return count;
    }

    private static void checkOption(String name, String option, BsonValue value) {
        require(
                OPTIONS.contains(option),
                "has '" + option + "' for '" + name + "', which may have limit, sort, keys, filter and embed");
        if (option.equals("limit")) {
            boolean isInRange = value.isInt32()
                    && value.asInt32().getValue() >= 1
                    && value.asInt32().getValue() <= MAX_LIMIT;
            require(isInRange, "has a limit of '" + name + "' that is not between 1 and " + MAX_LIMIT);
        } else {
            require(
                    value.isDocument() || (option.equals("sort") && value instanceof BsonString),
                    "has no object as " + option + " of '" + name + "'");
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new ProblemException(ProblemCode.PARAMETER_INVALID, "illegal embed parameter, it " + otherwise);
        }
    }
}
