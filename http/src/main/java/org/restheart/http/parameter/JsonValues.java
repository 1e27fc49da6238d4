package org.restheart.http.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.List;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// What a parameter whose value is JSON, or a short form of it, is read as.
enum JsonValues {
    OBJECT,
    /// An object that says something.
    CONDITION,
    /// A list of filters.
    FILTERS,
    /// Values of variables.
    VARIABLES,
    /// An order: an object, or a short form of one, `a`, `+a`, `-a`.
    SORT,
    /// An index: a key document, a short form of one (`+a`, `-a`) or the index's name.
    HINT,
    /// Names of relationships and what is read of each: objects, or a short form of them, `a,b.c`.
    EMBED,
    /// The text itself: whoever reads it parses it.
    TEXT;

    /// In characters. The limit of the request's head is meant for all parameters together.
    private static final int MAX_LENGTH = 256 << 10;

    private static final Pattern FIELD = Pattern.compile("[\\w.]{1,100}");

    /// @param name of the parameter
    /// @throws ProblemException 400
    BsonValue parse(String name, String text) {
        return switch (this) {
            case OBJECT -> object(name, text);
            case CONDITION -> condition(name, text);
            case FILTERS -> filters(name, text);
            case VARIABLES -> variables(name, text);
            case SORT -> sort(text.strip());
            case HINT -> hint(name, text);
            case EMBED -> EmbedValue.parse(name, text);
            case TEXT -> new BsonString(text);
        };
    }

    static BsonDocument object(String name, String text) {
        if (text.isBlank()) {
            throw refusal("illegal " + name + " parameter (empty)");
        }
        var value = parsed(name, text);
        if (!value.isDocument()) {
            throw Problem.of(
                            PARAMETER_INVALID,
                            "illegal " + name + " parameter, it is not a json object: " + text + " => "
                                    + typeName(value))
                    .withHints(help(name, text))
                    .raise();
        }
        return value.asDocument();
    }

    private static BsonDocument condition(String name, String text) {
        var condition = object(name, text);
        if (condition.isEmpty()) {
            throw refusal("illegal " + name + " parameter (empty json object)");
        }
        return condition;
    }

    private static BsonArray filters(String name, String text) {
        try {
            if (text.length() <= MAX_LENGTH
                    && JsonParser.parse(text) instanceof BsonArray filters
                    && filters.stream().allMatch(filter -> filter instanceof BsonDocument each && !each.isEmpty())) {
                return filters;
            }
        } catch (MalformedJsonException _) {
            // refused below
        }
        throw refusal("illegal " + name + " parameter: it is a list of filters of at most " + MAX_LENGTH
                + " characters, such as [{\"e.n\": {\"$gt\": 1}}]");
    }

    private static BsonDocument variables(String name, String text) {
        requireShort(name, text);
        var detail = "";
        try {
            if (JsonParser.parse(text) instanceof BsonDocument variables) {
                return variables;
            }
        } catch (MalformedJsonException e) {
            detail = e.isAfterTheEnd() ? ", " + e.getMessage() : "";
        }
        throw refusal("illegal " + name + " parameter, it is not a json object: " + text + detail);
    }

    private static BsonValue hint(String name, String text) {
        if (text.isBlank()) {
            throw refusal("illegal hint parameter");
        }
        return switch (text.charAt(0)) {
            case '{' -> object(name, text);
            case '+', '-' -> new BsonDocument(text.substring(1), direction(text));
            case '"', '\'' -> {
                try {
                    yield JsonParser.parse(text);
                } catch (MalformedJsonException _) {
                    throw refusal("illegal hint parameter");
                }
            }
            default -> new BsonString(text.strip());
        };
    }

    private static BsonDocument sort(String sort) {
        if (sort.isEmpty()) {
            throw refusal("Illegal sort parameter");
        }
        if (sort.charAt(0) == '{') {
            return directions(sort);
        }
        boolean isSigned = sort.charAt(0) == '-' || sort.charAt(0) == '+';
        var field = isSigned ? sort.substring(1).strip() : sort;
        if (field.isEmpty() || sort.charAt(0) == '[' || field.chars().allMatch(Character::isDigit)) {
            throw noSort(null);
        }
        return new BsonDocument(field, direction(sort));
    }

    private static BsonInt32 direction(String text) {
        return new BsonInt32(text.charAt(0) == '-' ? -1 : 1);
    }

    private static BsonDocument directions(String text) {
        try {
            if (!(JsonParser.parse(text) instanceof BsonDocument sort)) { // {"$oid": …} is parsed to a value
                throw noSort(null);
            }
            if (!sort.values().stream().allMatch(direction -> direction.isNumber() || direction.isDocument())) {
                throw noSort("orders are 1 and -1, as in {\"field\": -1}");
            }
            return sort;
        } catch (MalformedJsonException e) {
            throw e.isAfterTheEnd() ? refusal("Invalid sort parameter. " + e.getMessage()) : noSort(e.getMessage());
        }
    }

    /// @param hint as earlier versions say nothing more in the message
    private static ProblemException noSort(@Nullable String hint) {
        return Problem.of(PARAMETER_INVALID, "Invalid sort parameter")
                .withHints(List.of(
                        hint == null ? "a sort is a field, -field, or an object such as {\"field\": -1}" : hint))
                .raise();
    }

    private static BsonValue parsed(String name, String text) {
        requireShort(name, text);
        try {
            return JsonParser.parse(text);
        } catch (MalformedJsonException e) {
            var detail = name.equals("filter") || e.isAfterTheEnd() ? ", " + e.getMessage() : "";
            throw Problem.of(PARAMETER_INVALID, "illegal " + name + " parameter: " + text + detail)
                    .because("invalid json")
                    .withHints(help(name, text))
                    .raise();
        }
    }

    private static void requireShort(String name, String text) {
        if (text.length() > MAX_LENGTH) {
            throw refusal("illegal " + name + " parameter (longer than " + MAX_LENGTH + " characters)");
        }
    }

    /// What the client may have meant or sent.
    private static List<String> help(String name, String text) {
        if (text.contains(":") && !text.contains("{")) {
            return List.of("the braces are missing; curl keeps them with the option -g");
        }
        return name.equals("keys") && FIELD.matcher(text).matches()
                ? List.of("fields are named as keys={\"" + text + "\":1}")
                : List.of();
    }

    private static String typeName(BsonValue value) {
        return switch (value.getBsonType()) {
            case STRING, INT32, INT64, DOUBLE, BOOLEAN -> "String";
            case ARRAY -> "BsonArray";
            default -> value.getBsonType().name();
        };
    }

    private static ProblemException refusal(String text) {
        return new ProblemException(PARAMETER_INVALID, text);
    }
}
