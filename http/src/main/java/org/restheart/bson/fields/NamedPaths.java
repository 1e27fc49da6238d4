package org.restheart.bson.fields;

import java.util.Arrays;
import java.util.List;

/// Field paths that a predicate names, for comparing them with paths of a content while descending into it, so
/// that these never become texts. Positions in a content are read as in a [FieldPath]. Immutable.
final class NamedPaths {
    /// Marks where every step of the content is read as a name.
    private static final long LITERAL = 1L << 31;

    /// How a path is compared with those of a content.
    private enum Comparison {
        /// These very names, also if they look like positional operators: a path of a content is then read as names,
        /// or without its positions, but not partly so.
        NAMES,
        /// All fields that the path may mean.
        READINGS,
        /// As [#READINGS], but only what precedes the first position of the content's path: a change at a position
        /// may add elements, and so change every field of the array's elements.
        READINGS_BEFORE_POSITIONS
    }

    private final List<List<String>> paths;
    private final Comparison comparison;

    private NamedPaths(List<List<String>> paths, Comparison comparison) {
        this.paths = paths;
        this.comparison = comparison;
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
        /// What the path may have reached: which path, how many of its names, which are not yet all, and by which
        /// reading.
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

        /// What a name within a stored document leads to: dots in it are part of it, so that it is none of the names
        /// asked for. Where paths are compared by what they may mean, it may be any.
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
