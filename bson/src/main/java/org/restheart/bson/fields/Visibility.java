package org.restheart.bson.fields;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.Operators.Place;

/// Which fields a projection shows, by path, and so which fields a caller's filters and changes may refer to. Where a
/// path may mean several fields ([FieldPath]), all of them count. Immutable.
///
/// @param only whether just the named paths are shown, in place of all others
/// @param paths what the projection names
public record Visibility(boolean only, Set<String> paths) {
    /// No property has this name: showing only it shows nothing.
    private static final String NOTHING = "-";

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

    /// A projection that shows what another one does, but none of these fields. Where that would take a part out of a
    /// field that the other one names, the whole field is not shown.
    public static BsonDocument without(Collection<String> names, Optional<BsonDocument> projection) {
        var narrowed = new BsonDocument();
        boolean includes =
                projection.map(Visibility::of).filter(Visibility::only).isPresent();
        projection.ifPresent(given -> given.forEach((path, value) -> {
            if (names.stream()
                    .noneMatch(
                            name -> FieldPath.isWithin(path, name) || (includes && FieldPath.isWithin(name, path)))) {
                narrowed.append(path, value);
            }
        }));
        if (!includes) {
            names.stream()
                    .filter(name -> narrowed.keySet().stream().noneMatch(path -> FieldPath.isWithin(name, path)))
                    .filter(name ->
                            names.stream().noneMatch(other -> !other.equals(name) && FieldPath.isWithin(name, other)))
                    .forEach(name -> narrowed.append(name, new BsonInt32(0)));
        } else if (narrowed.isEmpty()) {
            narrowed.append(NOTHING, new BsonInt32(1));
        }
        return narrowed;
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

    /// Checks an aggregation expression for references to hidden fields: field paths, the whole document, and operators
    /// that may read fields by other means. Unknown operators and variables are refused ([Operators]).
    private record ExpressionInspection(Visibility visibility) {
        boolean allows(BsonValue expression) {
            return switch (expression.getBsonType()) {
                case STRING -> allowsText(expression.asString().getValue());
                case ARRAY -> expression.asArray().stream().allMatch(this::allows);
                case DOCUMENT ->
                    expression.asDocument().entrySet().stream()
                            .allMatch(entry -> allowsName(entry.getKey())
                                    && (entry.getKey().equals("$literal") || allows(entry.getValue())));
                default -> true;
            };
        }

        private static boolean allowsName(String name) {
            return !name.startsWith("$") || Operators.isPure(name);
        }

        private boolean allowsText(String text) {
            if (text.startsWith("$$")) {
                return allowsVariable(text.substring(2));
            }
            return !text.startsWith("$") || visibility.shows(text.substring(1));
        }

        /// Variables with other names than MongoDB's own hold the results of expressions that are inspected themselves.
        private boolean allowsVariable(String path) {
            int dot = path.indexOf('.');
            var name = dot < 0 ? path : path.substring(0, dot);
            return switch (name) {
                case "ROOT", "CURRENT" -> dot >= 0 && visibility.shows(path.substring(dot + 1));
                case "NOW", "CLUSTER_TIME", "REMOVE" -> true;
                default -> !name.isEmpty() && !Character.isUpperCase(name.charAt(0));
            };
        }
    }

    /// Checks a filter for references to hidden fields. Unknown operators are refused ([Operators]).
    private record FilterInspection(Visibility visibility) {

        boolean allows(BsonDocument filter, String prefix) {
            return filter.entrySet().stream().allMatch(entry -> {
                var value = entry.getValue();
                return switch (entry.getKey()) {
                    case "$and", "$or", "$nor" ->
                        !value.isArray() // MongoDB refuses it
                                || value.asArray().stream()
                                        .allMatch(each -> !each.isDocument() || allows(each.asDocument(), prefix));
                    case "$expr" -> visibility.allowsExpression(value);
                    case "$comment" -> true;
                    default -> !entry.getKey().startsWith("$") && allowsCondition(prefix + entry.getKey(), value);
                };
            });
        }

        private boolean allowsCondition(String path, BsonValue condition) {
            return (visibility.shows(path) && comparesOnly(condition))
                    || (visibility.showsPart(path)
                            && condition.isDocument()
                            && !condition.asDocument().isEmpty() // which is a value to be equal to
                            && condition.asDocument().entrySet().stream()
                                    .allMatch(entry -> allowsOperator(path, entry.getKey(), entry.getValue())));
        }

        /// A condition on elements, by which they are removed; all of what they contain is shown.
        static boolean allowsPulled(BsonValue elements) {
            return comparesOnly(new BsonDocument("$elemMatch", elements));
        }

        /// Whether a condition contains known operators only, and none that reads other fields.
        private static boolean comparesOnly(BsonValue condition) {
            var others = new AtomicBoolean();
            new NamedOperators((place, name, _) -> {
                        if (place != Place.QUERY || !place.known().contains(name) || name.equals("$expr")) {
                            others.setPlain(true);
                        }
                    })
                    .condition(condition, Location.of("filter"));
            return !others.getPlain();
        }

        /// A condition on a field of which only a part is shown: it must not depend on the rest.
        private boolean allowsOperator(String path, String operator, BsonValue operand) {
            return switch (operator) {
                // Where only named paths are shown, values without fields are not.
                case "$exists", "$type", "$size" -> !visibility.only();
                case "$not" -> allowsCondition(path, operand);
                case "$elemMatch" -> operand.isDocument() && allows(operand.asDocument(), path + ".");
                case "$all" ->
                    operand.isArray() && operand.asArray().stream().allMatch(each -> allowsCondition(path, each));
                default -> false;
            };
        }
    }

    /// Checks whether an update reveals hidden fields, by copying them to visible ones or by failing depending on their
    /// values. The only changes allowed to a hidden field are to set or to remove it as a whole.
    ///
    /// @param matchesShown whether every field by which the document was found is shown; if not, the position that
    ///     `$` stands for is decided by hidden ones
    private record UpdateInspection(Visibility visibility, boolean matchesShown) {

        boolean allows(Update update) {
            return switch (update) {
                case Update.Operators changes ->
                    changes.placedFilters().stream().allMatch(visibility::allowsFilter)
                            && changes.document().entrySet().stream()
                                    .allMatch(entry -> Operators.CHANGES.contains(entry.getKey())
                                            && allowsOperator(entry.getKey(), entry.getValue()));
                case Update.Pipeline(var stages) -> stages.stream().allMatch(this::allowsStage);
            };
        }

        private boolean allowsOperator(String operator, BsonValue operand) {
            if (!(operand instanceof BsonDocument fields)) {
                return true; // handlers refuse it
            }
            return fields.entrySet().stream().allMatch(field -> switch (operator) {
                case "$set", "$setOnInsert", "$unset", "$currentDate" -> isReplaceable(field.getKey());
                case "$rename" ->
                    isFree(field.getKey())
                            && field.getValue() instanceof BsonString target
                            && isFree(target.getValue());
                case "$pull" -> isFree(field.getKey()) && FilterInspection.allowsPulled(field.getValue());
                default -> isFree(field.getKey());
            });
        }

        /// Whether everything that determines a change of the field is visible.
        private boolean isFree(String path) {
            return visibility.showsChanged(path)
                    && visibility.showsWhereItIs(path)
                    && (matchesShown || !FieldPath.isPositional(path));
        }

        /// MongoDB compares a new `_id` with the stored one.
        private boolean isReplaceable(String path) {
            return isFree(path) || (visibility.isWhole(path) && !FieldPath.isWithin(path, "_id"));
        }

        private boolean allowsStage(BsonDocument stage) {
            return stage.entrySet().stream().allMatch(entry -> {
                var operand = entry.getValue();
                return Operators.UPDATE_STAGES.contains(entry.getKey())
                        && switch (entry.getKey()) {
                            case "$unset" ->
                                BsonValues.several(operand).stream()
                                        .allMatch(name -> !name.isString()
                                                || isReplaceable(name.asString().getValue()));
                            case "$set", "$addFields", "$project" ->
                                visibility.allowsExpression(operand)
                                        && (!(operand instanceof BsonDocument fields)
                                                || fields.keySet().stream().allMatch(this::isReplaceable));
                            default -> visibility.allowsExpression(operand);
                        };
            });
        }
    }
}
