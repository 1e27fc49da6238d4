package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;

/// The fields that one document of a request's content, or an update, changes, in whatever form it says so:
/// nested documents, dotted keys, update operators (both names of a `$rename`), the stages of an update
/// pipeline. See "Update Operators" and "Updates with Aggregation Pipeline" in the MongoDB manual. What it
/// does not understand touches everything.
///
/// It refers to the content and descends into it for each question, as deep as the paths asked for: the
/// paths of all leaves, as texts, would take many times the memory of the content.
public final class TouchedPaths {
    private static final int MAX_DEPTH = 100;

    /// How fields are changed.
    private enum Kind {
        /// Stored as part of a document: each leaf is named and changed.
        STORED,
        /// Set by an update: its leaves are named, and nothing is left of its former value.
        SET,
        /// Put by a pipeline into what is there, field by field.
        COMPUTED,
        /// Named alone.
        WHOLE
    }

    private record Part(Kind kind, BsonDocument fields) {}

    private final List<Part> parts = new ArrayList<>();

    private boolean everything;

    private TouchedPaths() {}

    /// One for each document of the content: one for a document or an update pipeline, several for an array.
    /// They are made one after the other, since there may be many.
    ///
    /// @param content anything; what is not a document touches everything
    /// @param isUpdate whether it changes what is stored, so that arrays are pipelines; else it is stored
    ///     whole
    public static Stream<TouchedPaths> of(BsonValue content, boolean isUpdate) {
        return content instanceof BsonArray array && !isUpdate
                ? array.stream().map(element -> ofDocument(element, false))
                : Stream.of(together(content, isUpdate));
    }

    /// What all documents of the content touch together.
    public static TouchedPaths together(BsonValue content, boolean isUpdate) {
        if (!(content instanceof BsonArray array)) {
            return ofDocument(content, isUpdate);
        }
        if (isUpdate) {
            return ofPipeline(array);
        }
        var touched = new TouchedPaths();
        array.forEach(element -> touched.addDocument(element, false));
        return touched;
    }

    /// What a change touches that puts the content in place of a stored document: it removes the fields that
    /// the content lacks.
    public static TouchedPaths ofReplacement(BsonValue content) {
        var touched = ofDocument(content, false);
        touched.everything = true;
        return touched;
    }

    public static TouchedPaths of(Update update) {
        return switch (update) {
            case Update.Operators(var document, var _) -> ofDocument(document, true);
            case Update.Pipeline(var stages) -> ofPipeline(stages);
        };
    }

    /// What one stage of an update pipeline touches.
    public static TouchedPaths ofStage(BsonDocument stage) {
        return ofPipeline(List.of(stage));
    }

    /// Whether every one of the keys is set, changed or removed, itself or below it.
    public boolean hasAll(List<String> keys) {
        return keys.stream().allMatch(key -> {
            var asked = NamedPaths.named(List.of(key));
            return parts.stream().anyMatch(part -> anyNamed(part, asked, NamedPaths.Place::mayBeWithin));
        });
    }

    /// Whether all of the document may change, so that it does not say which fields do.
    public boolean isUnbounded() {
        return everything;
    }

    /// Whether any of the keys may change, also because something that contains it is replaced or removed.
    public boolean hasAny(List<String> keys) {
        return everything || changes(NamedPaths.read(keys), NamedPaths.Place::mayOverlap);
    }

    public boolean has(String key) {
        return hasAny(List.of(key));
    }

    /// Whether nothing changes but the keys and what is below them. Positions in arrays do not count.
    public boolean hasOnly(List<String> keys) {
        return !everything && !changes(NamedPaths.named(keys), place -> !place.mayBeWithin());
    }

    /// Whether a filter on the path may match before and not after, or the other way round.
    public boolean mayDecide(String path) {
        return everything || changes(NamedPaths.readBeforePositions(List.of(path)), NamedPaths.Place::mayOverlap);
    }

    private boolean changes(NamedPaths asked, Predicate<NamedPaths.Place> condition) {
        return parts.stream()
                .anyMatch(part -> part.kind == Kind.SET
                        ? part.fields.keySet().stream()
                                .anyMatch(path -> condition.test(asked.start().below(path)))
                        : anyNamed(part, asked, condition));
    }

    private static boolean anyNamed(Part part, NamedPaths asked, Predicate<NamedPaths.Place> condition) {
        return part.fields.entrySet().stream().anyMatch(field -> {
            var place = asked.start().below(field.getKey());
            return part.kind == Kind.WHOLE
                    ? condition.test(place)
                    : anyLeaf(field.getValue(), place, part.kind != Kind.COMPUTED, condition);
        });
    }

    /// @param intoArrays whether the leaves of an array are those of its elements, and dots in names are
    ///     part of them; otherwise, as in pipelines, an array is a leaf, and a name may be a path
    private static boolean anyLeaf(
            BsonValue value, NamedPaths.Place place, boolean intoArrays, Predicate<NamedPaths.Place> condition) {
        if (place.isFinal()) {
            return condition.test(place); // as for all leaves below
        }
        if (isInner(value)) {
            return value.asDocument().entrySet().stream()
                    .anyMatch(field -> anyLeaf(
                            field.getValue(),
                            intoArrays ? place.inside(field.getKey()) : place.below(field.getKey()),
                            intoArrays,
                            condition));
        }
        if (intoArrays && value instanceof BsonArray array && !array.isEmpty()) {
            return array.stream().anyMatch(element -> anyLeaf(element, place, true, condition));
        }
        return condition.test(place);
    }

    /// Whether it is a document of fields, not a leaf.
    private static boolean isInner(BsonValue value) {
        return value instanceof BsonDocument document && !document.isEmpty() && !hasOperator(document);
    }

    private static TouchedPaths ofDocument(BsonValue value, boolean isUpdate) {
        var touched = new TouchedPaths();
        touched.addDocument(value, isUpdate);
        return touched;
    }

    private void addDocument(BsonValue value, boolean isUpdate) {
        if (value instanceof BsonDocument document) {
            var fields = document;
            if (hasOperator(document)) {
                fields = new BsonDocument();
                for (var field : document.entrySet()) {
                    if (field.getKey().startsWith("$")) {
                        addOperator(field.getKey(), field.getValue());
                    } else {
                        fields.append(field.getKey(), field.getValue());
                    }
                }
            }
            add(isUpdate ? Kind.SET : Kind.STORED, fields);
        } else {
            everything = true;
        }
    }

    private static TouchedPaths ofPipeline(List<? extends BsonValue> stages) {
        var touched = new TouchedPaths();
        for (var stage : stages) {
            if (stage instanceof BsonDocument document && document.size() == 1) {
                document.forEach(touched::addStage);
            } else {
                touched.everything = true;
            }
        }
        return touched;
    }

    private void addOperator(String operator, BsonValue operand) {
        if (!(operand instanceof BsonDocument fields)) {
            everything = true;
            return;
        }
        everything |= !Operators.CHANGES.contains(operator);
        add(operator.equals("$set") || operator.equals("$setOnInsert") ? Kind.SET : Kind.WHOLE, fields);
        if (operator.equals("$rename")) {
            addNames(fields.values());
        }
    }

    private void addStage(String stage, BsonValue operand) {
        switch (stage) {
            case "$set", "$addFields" -> {
                if (operand instanceof BsonDocument fields) {
                    add(Kind.COMPUTED, fields);
                } else {
                    everything = true;
                }
            }
            case "$unset" -> addNames(BsonValues.several(operand));
            case "$project" -> {
                // An exclusion removes what it names; an inclusion removes all the rest, and may compute values.
                if (operand instanceof BsonDocument fields && isExclusion(fields, 0)) {
                    add(Kind.COMPUTED, fields);
                } else {
                    everything = true;
                }
            }
            default -> everything = true; // $replaceRoot, $replaceWith, and stages that updates do not know
        }
    }

    private static boolean isExclusion(BsonDocument fields, int depth) {
        return depth < MAX_DEPTH
                && fields.values().stream()
                        .allMatch(value -> value instanceof BsonDocument inner
                                ? !hasOperator(inner) && isExclusion(inner, depth + 1)
                                : BsonValues.isOff(value));
    }

    private void add(Kind kind, BsonDocument fields) {
        everything |= kind != Kind.WHOLE
                && fields.values().stream().anyMatch(value -> isTooDeep(value, kind != Kind.COMPUTED, 0));
        parts.add(new Part(kind, fields));
    }

    private static boolean isTooDeep(BsonValue value, boolean intoArrays, int depth) {
        if (depth > MAX_DEPTH) {
            return true;
        }
        if (isInner(value)) {
            return value.asDocument().values().stream().anyMatch(inner -> isTooDeep(inner, intoArrays, depth + 1));
        }
        return intoArrays
                && value instanceof BsonArray array
                && array.stream().anyMatch(element -> isTooDeep(element, true, depth + 1));
    }

    private void addNames(Iterable<BsonValue> paths) {
        var names = new BsonDocument();
        for (var path : paths) {
            if (path instanceof BsonString text) {
                names.append(text.getValue(), BsonNull.VALUE);
            } else {
                everything = true;
            }
        }
        add(Kind.WHOLE, names);
    }

    private static boolean hasOperator(BsonDocument document) {
        return document.keySet().stream().anyMatch(key -> key.startsWith("$"));
    }

    /// Field paths that a predicate names, for comparing them with paths of a content while descending into
    /// it, so that these never become texts. Positions in a content are read as in a [FieldPath]. Immutable.
    private record NamedPaths(List<List<String>> paths, Comparison comparison) {
        /// Marks where every step of the content is read as a name.
        private static final long LITERAL = 1L << 31;

        /// How a path is compared with those of a content.
        private enum Comparison {
            /// These very names, also if they look like positional operators: a path of a content is then
            /// read as names, or without its positions, but not partly so.
            NAMES,
            /// All fields that the path may mean.
            READINGS,
            /// As [#READINGS], but only what precedes the first position of the content's path: a change at
            /// a position may add elements, and so change every field of the array's elements.
            READINGS_BEFORE_POSITIONS
        }

        /// Compared by [Comparison#NAMES].
        static NamedPaths named(List<String> paths) {
            return new NamedPaths(steps(paths), Comparison.NAMES);
        }

        /// Compared by [Comparison#READINGS].
        static NamedPaths read(List<String> paths) {
            return new NamedPaths(readings(paths), Comparison.READINGS);
        }

        /// Compared by [Comparison#READINGS_BEFORE_POSITIONS].
        static NamedPaths readBeforePositions(List<String> paths) {
            return new NamedPaths(readings(paths), Comparison.READINGS_BEFORE_POSITIONS);
        }

        private static List<List<String>> readings(List<String> paths) {
            return steps(paths.stream()
                    .flatMap(path -> FieldPath.of(path).readings().stream())
                    .distinct()
                    .toList());
        }

        private static List<List<String>> steps(List<String> paths) {
            return paths.stream().map(FieldPath::steps).toList();
        }

        Place start() {
            int size = paths.size();
            var heads = new long[comparison == Comparison.NAMES ? 2 * size : size];
            for (int i = 0; i < heads.length; i++) {
                heads[i] = i < size ? (long) i << 32 : (long) (i - size) << 32 | LITERAL;
            }
            return new Place(Outcome.OPEN, heads, 0, true);
        }

        private enum Outcome {
            /// More steps decide.
            OPEN,
            /// It may be one of the paths asked for, or within one.
            WITHIN,
            /// It contains one of them, whatever follows.
            AROUND,
            /// It has nothing to do with them.
            ELSEWHERE
        }

        /// A path of a content, compared.
        final class Place {
            private final Outcome outcome;
            /// What the path may have reached: which path, how many of its names, which are not yet all, and
            /// by which reading.
            private final long[] reached;
            private final int numbers;
            private final boolean isEmpty;

            private Place(Outcome outcome, long[] reached, int numbers, boolean isEmpty) {
                this.outcome = outcome;
                this.reached = reached;
                this.numbers = numbers;
                this.isEmpty = isEmpty;
            }

            /// Whether everything below has the same outcome.
            boolean isFinal() {
                return outcome != Outcome.OPEN;
            }

            /// Whether it may be one of the paths, or inside one.
            boolean mayBeWithin() {
                return outcome == Outcome.WITHIN;
            }

            /// Whether it may be one of the paths, inside one or around one.
            boolean mayOverlap() {
                return outcome != Outcome.ELSEWHERE;
            }

            /// What a name leads to, which may be a dotted path.
            Place below(String path) {
                var place = this;
                int from = 0;
                while (!place.isFinal() && from <= path.length()) {
                    int dot = path.indexOf('.', from);
                    int to = dot < 0 ? path.length() : dot;
                    place = place.step(from == 0 && dot < 0 ? path : path.substring(from, to));
                    from = to + 1;
                }
                return place;
            }

            /// What a name within a stored document leads to: dots in it are part of it, so that it is none
            /// of the names asked for. Where paths are compared by what they may mean, it may be any.
            Place inside(String name) {
                return comparison != Comparison.NAMES ? below(name) : isFinal() ? this : step(name);
            }

            private Place step(String step) {
                if (isEmpty) {
                    return after(step, false, false, 0);
                }
                boolean isNumber = FieldPath.isNumber(step);
                boolean isOperator = FieldPath.isOperator(step);
                if (comparison == Comparison.READINGS_BEFORE_POSITIONS && (isNumber || isOperator)) {
                    return ended(Outcome.AROUND);
                }
                if (!isNumber) {
                    return after(step, isOperator, isOperator, numbers);
                }
                if (numbers < FieldPath.MAX_NUMBERS) {
                    return after(step, true, false, numbers + 1);
                }
                // A path with more numbers covers more than it names. That it covers the names asked for can refuse a
                // change, but must not permit one.
                return comparison == Comparison.NAMES
                        ? literally().after(step, false, false, numbers)
                        : ended(Outcome.WITHIN);
            }

            /// The same without what positions would mean.
            private Place literally() {
                var names = Arrays.stream(reached).filter(each -> (each & LITERAL) != 0);
                return new Place(outcome, names.toArray(), numbers, isEmpty);
            }

            private Place after(String step, boolean mayBePosition, boolean isOperator, int numbers) {
                var next = new long[reached.length * 2];
                int count = 0;
                for (long each : reached) {
                    var path = paths.get((int) (each >> 32));
                    int names = (int) (each & ~LITERAL);
                    boolean isLiteral = (each & LITERAL) != 0;
                    if ((isLiteral || !isOperator) && path.get(names).equals(step)) {
                        if (names + 1 == path.size()) {
                            return ended(Outcome.WITHIN);
                        }
                        next[count++] = each + 1;
                    }
                    if (!isLiteral && mayBePosition) {
                        next[count++] = each;
                    }
                }
                return count == 0
                        ? ended(Outcome.ELSEWHERE)
                        : new Place(
                                Outcome.OPEN,
                                Arrays.stream(next, 0, count).distinct().toArray(),
                                numbers,
                                false);
            }

            private Place ended(Outcome outcome) {
                return new Place(outcome, new long[0], numbers, false);
            }
        }
    }
}
