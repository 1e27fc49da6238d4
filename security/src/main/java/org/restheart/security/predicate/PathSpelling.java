package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bson.BsonBinarySubType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.security.predicate.Operand.RequestAttribute;

/// How paths can be written differently for the same resource.
final class PathSpelling {
    private static final int OBJECT_ID_LENGTH = 24;

    private PathSpelling() {}

    /// Reserved names and ObjectIds, which the data API reads in any case, in lower case; without slashes at the end
    /// and without needless percent-encoding. Other names that look like reserved ones become equal too.
    static RequestPath usual(RequestPath path) {
        return RequestPath.of(
                path.segments().stream().map(PathSpelling::segment).toList());
    }

    /// The same for a part of a decoded path.
    static String usual(String text) {
        return usual(text, 0);
    }

    /// The same for a text in a rule, which keeps its slashes.
    static String usualInRule(String text) {
        return usual(text, -1);
    }

    private static String usual(String text, int limit) {
        return Arrays.stream(text.split("/", limit)).map(PathSpelling::segment).collect(Collectors.joining("/"));
    }

    /// Whether a predicate names something in a spelling that is not the usual one.
    static boolean isUnusual(Predicate predicate) {
        return switch (predicate) {
            case Predicate.Not not -> not.isUnusual();
            case Predicate.All(var parts) -> parts.stream().anyMatch(PathSpelling::isUnusual);
            case Predicate.Any(var parts) -> parts.stream().anyMatch(PathSpelling::isUnusual);
            case RequestPredicate.Path path -> areUnusual(path.constant(), path.variable());
            case RequestPredicate.PathSuffix(var suffixes) -> areUnusual(List.of(), suffixes);
            case RequestPredicate.Template(var template, var match) ->
                (match == null || isOfPath(match)) && !template.usual().equals(template);
            case RequestPredicate.Equal(var operands) ->
                operands.stream().anyMatch(PathSpelling::isOfPath) && areUnusual(List.of(), operands);
            case RequestPredicate.Contains(var search, var value) -> isOfPath(value) && areUnusual(List.of(), search);
            case RequestPredicate.In(var value, var array) -> isOfPath(value) && areUnusual(List.of(), array);
            default -> false;
        };
    }

    private static boolean areUnusual(List<PathPattern> patterns, List<Operand> operands) {
        return patterns.stream().anyMatch(pattern -> !pattern.usual().equals(pattern))
                || operands.stream().anyMatch(PathSpelling::isUnusual);
    }

    /// Whether the value is the path of a request or a part of it. What is bound mostly is.
    static boolean isOfPath(Operand operand) {
        return switch (operand) {
            case Operand.Attribute(var name) ->
                name == RequestAttribute.REQUEST_URI || name == RequestAttribute.RELATIVE_PATH;
            case Operand.Binding _ -> true;
            case Operand.Joined(var parts) -> parts.stream().anyMatch(PathSpelling::isOfPath);
            default -> false;
        };
    }

    private static boolean isUnusual(Operand operand) {
        return switch (operand) {
            case Operand.Literal(var text) -> !usualInRule(text).equals(text);
            case Operand.Variable _ -> true; // it may be
            case Operand.Joined(var parts) -> parts.stream().anyMatch(PathSpelling::isUnusual);
            default -> false;
        };
    }

    static String segment(String segment) {
        var lower = segment.toLowerCase(Locale.ROOT);
        return segment.startsWith("_") || lower.equals("binary") || isObjectId(lower) ? lower : segment;
    }

    private static boolean isObjectId(String lower) {
        return lower.length() == OBJECT_ID_LENGTH
                && lower.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }

    /// The path of a request, with the id that it means in place of the text that `id_type` converts.
    static RequestPath withId(Request request) {
        var path = request.path();
        var target = request.attribute(DataTarget.KEY);
        var id = request.query().has("id_type") ? target.flatMap(DataTarget::id) : Optional.<BsonValue>empty();
        var text = id.isEmpty() ? null : text(id.get());
        if (text == null) {
            return path;
        }
        var segments = new ArrayList<>(path.segments());
        int at = segments.size() - (target.get().kind() == ResourceKind.FILE_BINARY ? 2 : 1);
        return segments.set(at, text).equalsIgnoreCase(text) ? path : RequestPath.of(segments);
    }

    private static @Nullable String text(BsonValue id) {
        return switch (id.getBsonType()) {
            case NULL -> "_null";
            case MIN_KEY -> "_minkey";
            case MAX_KEY -> "_maxkey";
            case BOOLEAN -> "_" + id.asBoolean().getValue();
            case BINARY ->
                BsonBinarySubType.isUuid(id.asBinary().getType())
                        ? id.asBinary().asUuid().toString()
                        : null;
            default -> Values.text(id);
        };
    }
}
