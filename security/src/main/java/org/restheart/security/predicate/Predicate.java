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
import org.restheart.http.Method;
import org.restheart.http.judged.Via;

/// A condition on an [Attempt]. Immutable and thread-safe; evaluated from left to right.
public sealed interface Predicate {
    /// @throws Unanswerable if the rule must not apply, whatever its other predicates
    /// @throws org.restheart.http.ProblemException if required content does not parse
    boolean test(Attempt attempt);

    record Constant(boolean value) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return value;
        }
    }

    record Not(Predicate of) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return !of.test(attempt);
        }
    }

    record All(List<Predicate> of) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            for (var predicate : of) {
                if (!predicate.test(attempt)) {
                    return false;
                }
            }
            return true;
        }
    }

    record Any(List<Predicate> of) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            for (var predicate : of) {
                if (predicate.test(attempt)) {
                    return true;
                }
            }
            return false;
        }
    }

    /// `path`.
    record Path(List<PathPattern> constant, List<Operand> variable) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var path = attempt.request().path();
            return first(constant, variable, attempt, pattern -> pattern.is(path))
                    .isPresent();
        }
    }

    /// `path-prefix`; binds `${remaining}`.
    record PathPrefix(List<PathPattern> constant, List<Operand> variable) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            var path = attempt.request().path();
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
            var path = attempt.request().path().decoded();
            return texts(suffixes, attempt).anyMatch(path::endsWith);
        }
    }

    /// `path-template`, against the path or another text; binds its variables.
    record Template(PathTemplate template, @Nullable Operand match) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            if (match == null) {
                return template.matches(attempt.request().path(), attempt);
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

    record Exists(Operand value) implements Predicate {
        @Override
        public boolean test(Attempt attempt) {
            return value.texts(attempt).stream().anyMatch(text -> !text.isEmpty());
        }
    }

    /// `in`.
    ///
    /// Without a value on the left the whole rule does not apply.
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
            var present = attempt.request().query().names();
            return switch (quantity) {
                case ALL -> present.containsAll(names);
                case NONE -> names.stream().noneMatch(present::contains);
                case ONLY -> names.containsAll(present);
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
                case ALL ->
                    attempt.hasDocuments() && attempt.touchedByEach().allMatch(document -> document.hasAll(named));
                case NONE ->
                    (!all || !attempt.hasDocuments())
                            && Stream.concat(attempt.touched(), attempt.touchedByFilter())
                                    .noneMatch(document -> document.hasAny(named) || document.hasAny(keys));
                case ONLY ->
                    all
                            || Stream.concat(attempt.touched(), attempt.touchedByFilter())
                                    .allMatch(document -> document.hasOnly(named));
            };
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
                case EQUALS -> Values.equal(actual, wanted.getFirst());
                case CONTAINS ->
                    actual instanceof BsonArray array && wanted.stream().allMatch(value -> has(array, value));
                case IS_SUBSET ->
                    actual instanceof BsonArray array && array.stream().allMatch(value -> has(wanted, value));
            };
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
