package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.TouchedPaths;
import org.restheart.http.Method;
import org.restheart.http.judged.Via;

/// A condition on an [Attempt]. Immutable and thread-safe; evaluated from left to right, in Kleene's logic of three
/// values.
public sealed interface Predicate {
    /// @throws Unanswerable if it is neither true nor false of the attempt
    /// @throws org.restheart.http.ProblemException if required content does not parse
    boolean test(Attempt attempt);

    record Constant(boolean value) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return value;
        }
    }

    /// True of a path or query string if it is so of its usual spellings too, since rules are written in those.
    record Not(Predicate of) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            if (of.test(attempt)) {
                return false;
            }
            if (attempt.withUsualPath().anyMatch(of::test)
                    || attempt.withUsualQuery().anyMatch(of::test)) {
                throw new Unanswerable("another spelling");
            }
            return true;
        }
    }

    record All(List<Predicate> of) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return all(of, attempt, true);
        }
    }

    record Any(List<Predicate> of) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return !all(of, attempt, false);
        }
    }

    private static boolean all(List<Predicate> predicates, Attempt attempt, boolean wanted) {
        Unanswerable unanswered = null;
        for (var predicate : predicates) {
            try {
                if (predicate.test(attempt) != wanted) {
                    return false;
                }
            } catch (Unanswerable e) {
                unanswered = e;
            }
        }
        if (unanswered != null) {
            throw unanswered;
        }
        return true;
    }

    /// `path`.
    record Path(List<PathPattern> constant, List<Operand> variable) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var path = attempt.path();
            return first(constant, variable, attempt, pattern -> pattern.is(path))
                    .isPresent();
        }
    }

    /// `path-prefix`; binds `${remaining}`.
    record PathPrefix(List<PathPattern> constant, List<Operand> variable) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var path = attempt.path();
            var found = first(constant, variable, attempt, pattern -> pattern.isPrefixOf(path));
            found.ifPresent(pattern -> attempt.bind("remaining", pattern.remaining(path)));
            return found.isPresent();
        }
    }

    private static Optional<PathPattern> first(
            List<PathPattern> constant,
            List<Operand> variable,
            Attempt attempt,
            java.util.function.Predicate<PathPattern> matches) {
        for (var pattern : constant) {
            if (matches.test(pattern)) {
                return Optional.of(pattern);
            }
        }
        return texts(variable, attempt).map(PathPattern::parse).filter(matches).findFirst();
    }

    private static java.util.stream.Stream<String> texts(List<Operand> operands, Attempt attempt) {
        return operands.stream().flatMap(operand -> operand.texts(attempt).stream());
    }

    /// `path-suffix`.
    record PathSuffix(List<Operand> suffixes) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var path = attempt.path().decoded();
            return texts(suffixes, attempt).anyMatch(path::endsWith);
        }
    }

    /// `path-template`, against the path or another text; binds its variables.
    record Template(PathTemplate template, @Nullable Operand match) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            if (match == null) {
                return template.matches(attempt.path(), attempt);
            }
            var text = match.text(attempt);
            return text != null && template.matches(text, attempt);
        }
    }

    /// `regex`; binds `${0}` and the groups.
    record Regex(Pattern pattern, Operand value, boolean fullMatch) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var text = value.text(attempt);
            if (text == null) {
                return false;
            }
            var matcher = pattern.matcher(new SteppedText(text));
            if (!(fullMatch ? matcher.matches() : matcher.find())) {
                return false;
            }
            for (int i = 0; i <= matcher.groupCount(); i++) {
                var group = matcher.group(i);
                if (group != null) {
                    attempt.bind(Integer.toString(i), group);
                }
            }
            return true;
        }
    }

    record MethodIs(Set<Method> methods) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return methods.contains(attempt.request().method());
        }
    }

    /// `via`: the service by which the operation comes.
    record ViaIs(Set<Via.Service> services) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return services.contains(Via.of(attempt.request()).service());
        }
    }

    /// `action`: what the operation is called in that service; false for REST.
    record ActionIs(Set<String> names) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return Via.of(attempt.request()).action().filter(names::contains).isPresent();
        }
    }

    /// `equals`: nothing is equal to a value that is missing.
    record Equal(List<Operand> operands) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var first = operands.getFirst().text(attempt);
            return first != null && operands.stream().skip(1).allMatch(operand -> first.equals(operand.text(attempt)));
        }
    }

    record Contains(List<Operand> search, Operand value) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var text = value.text(attempt);
            return text != null && texts(search, attempt).anyMatch(text::contains);
        }
    }

    /// `exists`: neither true nor false of a value without text, such as a document.
    record Exists(Operand value) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            if (value.texts(attempt).stream().anyMatch(text -> !text.isEmpty())) {
                return true;
            }
            if (value instanceof Operand.Variable variable && Values.isWithoutText(variable.value(attempt))) {
                throw new Unanswerable("exists: a value without text");
            }
            return false;
        }
    }

    /// `in`: neither true nor false without a value.
    record In(Operand value, List<Operand> array) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var text = value.text(attempt);
            if (text == null) {
                throw new Unanswerable("in: no value");
            }
            return texts(array, attempt).anyMatch(text::equals);
        }
    }

    /// Predicates without parameters.
    enum Trait implements Predicate {
        SECURE,
        IDEMPOTENT,
        AUTH_REQUIRED;

        @Override
        public boolean test(Attempt attempt) {
            return switch (this) {
                case SECURE -> attempt.request().connection().isSecure();
                case IDEMPOTENT ->
                    attempt.request().method() != Method.POST
                            && attempt.request().method() != Method.PATCH;
                case AUTH_REQUIRED -> attempt.authenticationRequired();
            };
        }
    }

    /// The content's length in bytes, bounds included.
    record ContentLength(long min, long max) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var body = attempt.request().body();
            return (min <= 0 || body.isLongerThan(min - 1)) && (max == Long.MAX_VALUE || !body.isLongerThan(max));
        }
    }

    /// `qparams-contain`, `-blacklist`, `-whitelist`.
    record Parameters(Quantity quantity, Set<String> names) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var present = attempt.parameterNames(attempt.request().query().names());
            var named = attempt.parameterNames(names);
            return switch (quantity) {
                case ALL -> present.containsAll(named);
                case NONE -> named.stream().noneMatch(present::contains);
                case ONLY -> named.containsAll(present);
            };
        }
    }

    /// `qparams-size`.
    record ParameterCount(int count) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return attempt.request().query().names().size() == count;
        }
    }

    /// How a list of names relates to what is there: all of them, none of them, nothing else.
    enum Quantity {
        ALL,
        NONE,
        ONLY
    }

    /// `bson-request-contains`, `-blacklist`, `-whitelist`.
    record Content(Quantity quantity, List<String> keys) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            if (!attempt.isForData()) {
                return false;
            }
            var paths = keys.stream().map(attempt::path).collect(Collectors.toSet());
            boolean all = paths.remove(""); // the rule names the whole content
            var named = List.copyOf(paths);
            return switch (quantity) {
                case ALL -> eachHasAll(attempt, named);
                case NONE -> (!all || !attempt.hasDocuments()) && noneHasAny(attempt, named);
                case ONLY -> all || eachHasOnly(attempt, named);
            };
        }

        private static boolean eachHasAll(Attempt attempt, List<String> named) {
            var upserted = attempt.touchedByFilter().toList();
            var documents = attempt.touchedByEach().iterator();
            boolean some = false;
            boolean others = !documents.hasNext() && lacks(upserted, named);
            while (documents.hasNext()) {
                var document = documents.next();
                boolean has = document.hasAll(named);
                some |= has;
                others |= !has
                        && lacks(
                                Stream.concat(Stream.of(document), upserted.stream())
                                        .toList(),
                                named);
            }
            if (some && others) {
                throw new Unanswerable("some documents contain the keys");
            }
            return some;
        }

        /// @throws Unanswerable if each key may be changed
        private static boolean lacks(List<TouchedPaths> touched, List<String> named) {
            if (touched.isEmpty()
                    || named.stream().anyMatch(key -> touched.stream().noneMatch(part -> part.has(key)))) {
                return true;
            }
            throw new Unanswerable("may change the keys");
        }

        private boolean noneHasAny(Attempt attempt, List<String> named) {
            boolean none = Stream.concat(attempt.touched(), attempt.touchedByFilter())
                    .noneMatch(document -> document.hasAny(named) || document.hasAny(keys));
            if (!none
                    && attempt.touchedByEach()
                            .noneMatch(document -> named.stream().anyMatch(key -> document.hasAll(List.of(key))))) {
                throw new Unanswerable("may change a key");
            }
            return none;
        }

        private static boolean eachHasOnly(Attempt attempt, List<String> named) {
            var touched = Stream.concat(attempt.touched(), attempt.touchedByFilter())
                    .filter(document -> !document.hasOnly(named))
                    .toList();
            if (!touched.isEmpty() && touched.stream().allMatch(TouchedPaths::isUnbounded)) {
                throw new Unanswerable("may change anything");
            }
            return touched.isEmpty();
        }
    }

    /// `bson-request-prop-equals`, `bson-request-array-contains`, `bson-request-array-is-subset`.
    record Property(Relation relation, String key, List<Operand.Variable> values) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var actual = attempt.value(key);
            if (actual == null) {
                return false;
            }
            var wanted = new ArrayList<BsonValue>();
            for (var operand : values) {
                var value = operand.value(attempt);
                if (value == null) {
                    return relation == Relation.IS_SUBSET
                            && actual.isArray()
                            && actual.asArray().isEmpty();
                }
                // A variable that is an array stands for its elements where a list is wanted.
                if (relation != Relation.EQUALS && !(operand instanceof Operand.Constant) && value.isArray()) {
                    wanted.addAll(value.asArray());
                } else {
                    wanted.add(value);
                }
            }
            return switch (relation) {
                case EQUALS -> Values.equal(actual, wanted.getFirst()) || foundBy(actual, wanted.getFirst());
                case CONTAINS ->
                    ofElements(actual, elements -> wanted.stream().allMatch(value -> has(elements, value)));
                case IS_SUBSET ->
                    ofElements(actual, elements -> elements.stream().allMatch(value -> has(wanted, value)));
            };
        }

        /// @throws Unanswerable if it is so of a value outside of an array, which MongoDB finds as it finds an element
        private static boolean ofElements(BsonValue actual, java.util.function.Predicate<List<BsonValue>> condition) {
            boolean holds = condition.test(actual instanceof BsonArray array ? array : List.of(actual));
            if (holds && !actual.isArray()) {
                throw new Unanswerable("the value without an array");
            }
            return holds;
        }

        /// @throws Unanswerable if it is, since MongoDB finds an array by each of its elements
        private static boolean foundBy(BsonValue actual, BsonValue wanted) {
            if (actual instanceof BsonArray array && has(array, wanted)) {
                throw new Unanswerable("an array with the value");
            }
            return false;
        }

        private static boolean has(List<BsonValue> values, BsonValue value) {
            return values.stream().anyMatch(other -> Values.equal(other, value));
        }
    }

    enum Relation {
        EQUALS,
        CONTAINS,
        IS_SUBSET
    }
}
