package org.restheart.security.predicate;

import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// A value in a predicate. It is resolved when the predicate is evaluated and compared as a value: text of clients is
/// never parsed as part of the language.
sealed interface Operand {
    /// The value as text, or null if the request has none.
    @Nullable
    String text(Attempt attempt);

    /// The value where a list is expected: an array gives its scalar elements.
    default List<String> texts(Attempt attempt) {
        var text = text(attempt);
        return text == null ? List.of() : List.of(text);
    }

    /// Written in the rule.
    record Literal(String value) implements Operand {
        @Override
        public String text(Attempt attempt) {
            return value;
        }
    }

    /// `%m` and its like.
    record Attribute(RequestAttribute name) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            return name.read(attempt);
        }
    }

    /// `%{i,Name}`.
    record Header(String name) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            return attempt.request().headers().first(name).orElse(null);
        }
    }

    /// `%{q,name}`: the value that handlers use.
    record Parameter(String name) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            var values = texts(attempt);
            if (values.size() > 1 && attempt.usesAll(name)) {
                throw new Unanswerable("several values");
            }
            return values.isEmpty() ? null : values.getFirst();
        }

        @Override
        public List<String> texts(Attempt attempt) {
            return attempt.parameter(name);
        }
    }

    /// `%{c,name}`.
    record Cookie(String name) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            return Cookies.first(attempt.request().headers(), name).orElse(null);
        }
    }

    /// `${name}`, bound by a template or a regular expression further left.
    record Binding(String name) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            return attempt.binding(name);
        }
    }

    /// A concatenation such as `/t/${id}`; without a value if any part has none.
    record Joined(List<Operand> parts) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            var joined = new StringBuilder();
            for (var part : parts) {
                var text = part.text(attempt);
                if (text == null) {
                    return null;
                }
                joined.append(text);
            }
            return joined.toString();
        }
    }

    /// `@user.a.b`.
    record UserProperty(String path) implements Variable {
        @Override
        public @Nullable BsonValue value(Attempt attempt) {
            var account = attempt.account();
            return account == null ? null : Values.at(account.properties(), path);
        }
    }

    /// `@request.body.a.b`.
    record BodyProperty(String path) implements Variable {
        @Override
        public @Nullable BsonValue value(Attempt attempt) {
            return attempt.value(path);
        }
    }

    /// A BSON value written in the rule.
    record Constant(BsonValue value) implements Variable {
        @Override
        public BsonValue value(Attempt attempt) {
            return value;
        }
    }

    /// An operand that is a BSON value.
    sealed interface Variable extends Operand {
        @Nullable
        BsonValue value(Attempt attempt);

        @Override
        default @Nullable String text(Attempt attempt) {
            var value = value(attempt);
            return value == null ? null : Values.text(value);
        }

        @Override
        default List<String> texts(Attempt attempt) {
            if (value(attempt) instanceof BsonArray array) {
                return array.stream()
                        .flatMap(element -> Optional.ofNullable(Values.text(element)).stream())
                        .toList();
            }
            return Operand.super.texts(attempt);
        }
    }
}
