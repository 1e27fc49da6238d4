package org.restheart.security.predicate;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.Via;

/// A condition on a request without its content, or on no more of that than its length.
sealed interface RequestPredicate extends Predicate {
    /// `path`, and `path-prefix`, which binds `${remaining}`.
    record Path(List<PathPattern> constant, List<Operand> variable, boolean isPrefix) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            for (var pattern : constant) {
                if (matches(pattern, attempt)) {
                    return true;
                }
            }
            return texts(variable, attempt).map(PathPattern::parse).anyMatch(pattern -> matches(pattern, attempt));
        }

        private boolean matches(PathPattern named, Attempt attempt) {
            return isMatch(named, attempt) || (attempt.isInUsualSpelling() && isMatch(named.usual(), attempt));
        }

        private boolean isMatch(PathPattern pattern, Attempt attempt) {
            var path = attempt.path();
            if (!isPrefix) {
                return pattern.is(path);
            }
            boolean found = pattern.isPrefixOf(path);
            if (found) {
                attempt.bind("remaining", pattern.remaining(path));
            }
            return found;
        }
    }

    private static Stream<String> texts(List<Operand> operands, Attempt attempt) {
        return operands.stream().flatMap(operand -> operand.texts(attempt).stream());
    }

    /// Texts that are compared with a value of the request: in the usual spelling, too, where that is a path.
    private static Stream<String> texts(List<Operand> operands, Attempt attempt, boolean isWithPath) {
        var texts = texts(operands, attempt);
        return isWithPath && attempt.isInUsualSpelling()
                ? texts.flatMap(text -> Stream.of(text, PathSpelling.usualInRule(text)))
                : texts;
    }

    /// `path-suffix`.
    record PathSuffix(List<Operand> suffixes) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            var path = attempt.path().decoded();
            return texts(suffixes, attempt, true).anyMatch(path::endsWith);
        }
    }

    /// `path-template`, against the path or another text; binds its variables.
    record Template(PathTemplate template, @Nullable Operand match) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            boolean isWithPath = match == null || PathSpelling.isOfPath(match);
            return isMatch(template, attempt)
                    || (isWithPath && attempt.isInUsualSpelling() && isMatch(template.usual(), attempt));
        }

        private boolean isMatch(PathTemplate compared, Attempt attempt) {
            if (match == null) {
                return compared.matches(attempt.path(), attempt);
            }
            var text = match.text(attempt);
            return text != null && compared.matches(text, attempt);
        }
    }

    /// `regex`; binds `${0}` and the groups.
    record Regex(Pattern pattern, Operand value, boolean fullMatch) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            var text = value.text(attempt);
            if (text == null) {
                return false;
            }
            var matcher = pattern.matcher(new SteppedText(text));
            if (!matches(matcher)) {
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

        /// Whether a text with this beginning may match.
        @SuppressWarnings("JdkObsolete") // it goes on
        boolean mayMatchAfter(String beginning) {
            try {
                var matcher = pattern.matcher(new SteppedText(beginning));
                return matches(matcher) || matcher.hitEnd();
            } catch (Unanswerable _) {
                return true;
            }
        }

        private boolean matches(Matcher matcher) {
            try {
                return fullMatch ? matcher.matches() : matcher.find();
            } catch (StackOverflowError _) { // the engine recurses for each repetition of a group
                throw new Unanswerable("regular expression nests too deeply");
            }
        }

        /// Text that bounds the steps of a regular expression, so that a client cannot occupy a thread with a value on
        /// which the operator's expression backtracks.
        private static final class SteppedText implements CharSequence {
            private static final int MAX_STEPS = 1_000_000;
            /// A query string of 2,048 characters may become as long when all of it is percent-encoded.
            private static final int MAX_LENGTH = 3 * 2_048;

            private final String text;
            private int steps;

            /// @throws Unanswerable if the text is too long
            SteppedText(String text) {
                if (text.length() > MAX_LENGTH) {
                    throw new Unanswerable("text is too long for a regular expression");
                }
                this.text = text;
            }

            @Override
            public int length() {
                return text.length();
            }

            @Override
            public char charAt(int index) {
                if (++steps > MAX_STEPS) {
                    throw new Unanswerable("regular expression takes too many steps");
                }
                return text.charAt(index);
            }

            @Override
            public CharSequence subSequence(int start, int end) {
                return text.substring(start, end);
            }

            @Override
            public String toString() {
                return text;
            }
        }
    }

    record MethodIs(Set<Method> methods) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            return methods.contains(attempt.request().method());
        }
    }

    /// `via`: the service by which the operation comes.
    record ViaIs(Set<Via.Service> services) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            return services.contains(Via.of(attempt.request()).service());
        }
    }

    /// `action`: what the operation is called in that service; false for REST.
    record ActionIs(Set<String> names) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            return Via.of(attempt.request()).action().filter(names::contains).isPresent();
        }
    }

    /// `equals`: nothing is equal to a value that is missing.
    record Equal(List<Operand> operands) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            boolean isInUsualSpelling =
                    attempt.isInUsualSpelling() && operands.stream().anyMatch(PathSpelling::isOfPath);
            var first = operands.getFirst().text(attempt);
            return first != null
                    && operands.stream()
                            .skip(1)
                            .map(operand -> operand.text(attempt))
                            .allMatch(text -> text != null
                                    && (first.equals(text)
                                            || (isInUsualSpelling
                                                    && PathSpelling.usualInRule(first)
                                                            .equals(PathSpelling.usualInRule(text)))));
        }
    }

    record Contains(List<Operand> search, Operand value) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            var text = value.text(attempt);
            return text != null
                    && texts(search, attempt, PathSpelling.isOfPath(value)).anyMatch(text::contains);
        }
    }

    /// `exists`: neither true nor false of a value without text, such as a document.
    record Exists(Operand value) implements RequestPredicate {
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
    record In(Operand value, List<Operand> array) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            var text = value.text(attempt);
            if (text == null) {
                throw new Unanswerable("in: no value");
            }
            return texts(array, attempt, PathSpelling.isOfPath(value)).anyMatch(text::equals);
        }
    }

    /// Predicates without parameters.
    enum Trait implements RequestPredicate {
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
    record ContentLength(long min, long max) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            var body = attempt.request().body();
            return (min <= 0 || body.isLongerThan(min - 1)) && (max == Long.MAX_VALUE || !body.isLongerThan(max));
        }
    }

    /// The names of parameters that the client has sent: a rule that lists those it allows is not about what the
    /// gateway adds. One that refuses some refuses these, too.
    private static Set<String> sent(Attempt attempt) {
        var names = attempt.request().query().names();
        var added = attempt.request().attribute(JudgedRequest.ADDED);
        return added.isEmpty()
                ? names
                : names.stream().filter(name -> !added.get().contains(name)).collect(Collectors.toSet());
    }

    /// `qparams-contain`, `-blacklist`, `-whitelist`.
    record Parameters(Quantity quantity, Set<String> names) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            var names = quantity == Quantity.ONLY
                    ? sent(attempt)
                    : attempt.request().query().names();
            var present = attempt.parameterNames(names);
            var named = attempt.parameterNames(this.names);
            return switch (quantity) {
                case ALL -> present.containsAll(named);
                case NONE -> named.stream().noneMatch(present::contains);
                case ONLY -> named.containsAll(present);
            };
        }
    }

    /// `qparams-size`.
    record ParameterCount(int count) implements RequestPredicate {
        @Override
        public boolean test(Attempt attempt) {
            return sent(attempt).size() == count;
        }
    }

    /// How a list of names relates to what is there: all of them, none of them, nothing else.
    enum Quantity {
        ALL,
        NONE,
        ONLY
    }
}
