package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.parameter.DataParameter.FILTER;
import static org.restheart.http.parameter.DataParameter.SESSION;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
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
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.Use;
import org.restheart.http.parameter.ValueForm;

/// Detects unknown query parameters. One that is similar to a known one, or probably meant as a condition on a field,
/// is a warning. The former is refused if the request cannot be undone; all unknown parameters are refused if the
/// configuration says so.
public final class UnknownParameters {
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

    private static final Pattern JSON_SCALAR = Pattern.compile("-?(0|[1-9]\\d{0,17})(\\.\\d{1,17})?|true|false|null");

    private static final Pattern SHORT_TEXT = Pattern.compile("[\\w .@:-]{1,40}");

    private static final int MAX_WARNINGS = 10;
    private static final int MAX_NAME = 50;

    /// Names of this length or less are never refused for their similarity: almost any is similar to a known
    /// one, and access rules may use it.
    private static final int SHORT_NAME = 3;

    private UnknownParameters() {}

    /// Warnings about unknown parameters that are similar to known ones or look like conditions.
    ///
    /// @param variables that are known too: those of an aggregation, or what a stream asks its listeners for
    /// @throws ProblemException 400 for one that is refused
    public static List<String> of(Request request, ResourceKind kind, Set<String> variables, boolean strict) {
        var warnings = new ArrayList<String>();
        var use = Use.of(kind, request.method());
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

    private static boolean isKnown(String name, Use use) {
        return DataParameter.of(name)
                .filter(parameter -> parameter.isKnown(use))
                .isPresent();
    }

    /// What is said of a parameter that is probably meant as a condition on a field, or as a variable. An access rule
    /// may read it, so that no warning calls it unknown.
    private static Optional<String> ofAssignment(String name, String value, Use use) {
        return switch (use) {
            case RUN ->
                assignment(name, value)
                        .map(meant -> "the parameter " + name
                                + " is no variable of the aggregation; variables are passed as avars=" + meant);
            case LIST, COUNT, BULK, CHANGE_MANY ->
                assignment(name, value)
                        .map(meant -> "the parameter " + name
                                + " selects no documents; a condition is written as filter=" + meant);
            case NAMES, ONE, CHECK, CREATE, WRITE, CHANGE, MANAGE, LISTEN, OTHER -> Optional.empty();
        };
    }

    /// Refuses JSON that is written with brackets: without its condition a request would concern other documents.
    ///
    /// @throws ProblemException 400 with the right form
    static void refuseBrackets(Query query) {
        for (var name : query.names()) {
            var brackets = BRACKETS.matcher(name);
            if (brackets.matches()
                    && DataParameter.of(brackets.group(1))
                            .filter(parameter -> parameter.form() instanceof ValueForm.Json)
                            .isPresent()) {
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
            if (variables.contains(name) && !isKnown(name, Use.RUN)) {
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
        var meant = meant(similar, Use.of(kind, request.method()));
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
        return "unknown parameter " + ShortText.of(name, MAX_NAME);
    }

    /// A hint about what the client probably meant; empty if the parameter is similar to no known one.
    private static Optional<String> help(String name, String value, Use use) {
        if (COMPARISON.matcher(value).matches()) {
            return Optional.of("; conditions are written as filter={\"field\": value}");
        }
        return name.length() > MAX_NAME
                ? Optional.empty()
                : meant(name, use).map(meant -> "; did you mean " + meant + "?");
    }

    private static Optional<String> meant(String name, Use use) {
        var bare = name.split("[\\[.]", 2)[0]; // also of objects that are written as query[year] or filter.year
        return DataParameter.meantBy(bare)
                .or(() -> Nearest.to(
                        name,
                        DataParameter.allNames().stream()
                                .filter(known -> isKnown(known, use))
                                .toList()))
                .or(() -> Optional.of(bare).filter(known -> isKnown(known, use)));
    }
}
