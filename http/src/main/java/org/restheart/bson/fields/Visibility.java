package org.restheart.bson.fields;

import java.util.Collection;
import java.util.Set;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Which fields a projection shows, by path, and so which fields a caller's filters and changes may refer to. Where a
/// path may mean several fields ([FieldPath]), all of them count. Immutable.
///
/// @param only whether just the named paths are shown, in place of all others
/// @param paths what the projection names
public record Visibility(boolean only, Set<String> paths) {
    public Visibility {
        paths = Set.copyOf(paths);
    }

    public static Visibility of(BsonDocument projection) {
        boolean only = projection.values().stream()
                .anyMatch(value -> value.isNumber() && value.asNumber().doubleValue() != 0);
        return new Visibility(only, projection.keySet());
    }

    /// Everything but these.
    public static Visibility hiding(Collection<String> paths) {
        return new Visibility(false, Set.copyOf(paths));
    }

    /// Whether the field is shown with everything in it.
    ///
    /// @param path in a filter, a sort, an index or an expression
    public boolean shows(String path) {
        return holds(FieldPath.read(path), this::showsField);
    }

    /// The same for a path in an update.
    boolean showsChanged(String path) {
        return holds(FieldPath.of(path), this::showsField);
    }

    /// Whether something in the field is shown.
    public boolean showsPart(String path) {
        var fields = FieldPath.read(path);
        return !fields.truncated() && holds(fields, this::showsPartOf);
    }

    private boolean showsPartOf(String field) {
        return only
                ? paths.stream().anyMatch(shown -> FieldPath.isWithin(field, shown) || FieldPath.isWithin(shown, field))
                : !isHidden(field);
    }

    private boolean showsField(String field) {
        return only
                ? paths.stream().anyMatch(shown -> FieldPath.isWithin(field, shown))
                : !isHidden(field) && paths.stream().noneMatch(hidden -> FieldPath.isWithin(hidden, field));
    }

    private boolean isHidden(String field) {
        return paths.stream().anyMatch(hidden -> FieldPath.isWithin(field, hidden));
    }

    private static boolean holds(FieldPath path, Predicate<String> condition) {
        return path.readings().stream().allMatch(condition);
    }

    /// Whether it also shows what the field is put into: a document, an array, or something that has no fields.
    boolean showsWhereItIs(String path) {
        int dot = path.lastIndexOf('.');
        return !only || dot < 0 || showsChanged(path.substring(0, dot));
    }

    /// Whether the field is one that is hidden as a whole, and nothing around it is hidden with it.
    boolean isWhole(String path) {
        return !FieldPath.of(path).hasPositions()
                && showsWhereItIs(path)
                && (only
                        || paths.stream()
                                .noneMatch(hidden -> !hidden.equals(path) && FieldPath.isWithin(path, hidden)));
    }

    /// Whether what a filter matches depends on nothing that is hidden.
    public boolean allowsFilter(BsonDocument filter) {
        return new FilterInspection(this).allows(filter, "");
    }

    /// The same for the value of an aggregation expression.
    public boolean allowsExpression(BsonValue expression) {
        return new ExpressionInspection(this).allows(expression);
    }

    /// The same for a sort, or for an index by its keys.
    public boolean allowsKeys(BsonDocument keys) {
        return keys.keySet().stream().allMatch(field -> field.equals("$natural") || shows(field));
    }

    /// Whether neither the outcome of an update nor whether it fails depends on anything that is hidden.
    ///
    /// @param matchedBy the filters by which the documents are found
    public boolean allowsUpdate(Update update, Collection<BsonDocument> matchedBy) {
        return new UpdateInspection(this, matchedBy.stream().allMatch(this::allowsFilter)).allows(update);
    }
}
