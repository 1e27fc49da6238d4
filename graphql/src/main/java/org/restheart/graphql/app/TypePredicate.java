package org.restheart.graphql.app;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Nearest;

/// Determines the concrete type of a value: `field-exists(a, b.c)`, `field-eq(field=a.b, value='<JSON>')`,
/// `value-eq('<JSON>')`, `true`, `false`, with `not`, `and`, `or` and parentheses. Immutable.
@FunctionalInterface
interface TypePredicate {
    boolean test(BsonValue value);

    /// @throws InvalidApp naming what is wrong
    static TypePredicate parse(String text) throws InvalidApp {
        return new Parser(text).parse();
    }

    /// Recursive descent over tokens: quoted texts, words, and single characters.
    final class Parser {
        private static final Pattern TOKEN = Pattern.compile(
                "\\s*(?:'((?:[^'\\\\]++|\\\\.)*+)'|([^\\s(),='\"]+)|([(),=])|\"((?:[^\"\\\\]++|\\\\.)*+)\")");
        private static final List<String> PREDICATES =
                List.of("field-exists", "field-eq", "value-eq", "true", "false", "not");
        private static final int MAX_DEPTH = 50;

        private final String text;
        private final List<Token> tokens = new ArrayList<>();
        private int at;

        private record Token(String text, boolean quoted) {}

        private Parser(String text) {
            this.text = text;
        }

        private TypePredicate parse() throws InvalidApp {
            tokenize();
            var predicate = or(0);
            if (at < tokens.size()) {
                throw wrong("unexpected '" + tokens.get(at).text + "'");
            }
            return predicate;
        }

        private void tokenize() throws InvalidApp {
            var matcher = TOKEN.matcher(text);
            int end = 0;
            while (matcher.find() && matcher.start() == end) {
                end = matcher.end();
                if (matcher.group(1) != null) {
                    tokens.add(new Token(matcher.group(1).replace("\\'", "'"), true));
                } else if (matcher.group(4) != null) {
                    tokens.add(new Token(matcher.group(4).replace("\\\"", "\""), true));
                } else {
                    tokens.add(new Token(matcher.group(matcher.group(2) != null ? 2 : 3), false));
                }
            }
            if (!text.substring(end).isBlank()) {
                throw wrong("unexpected '" + text.substring(end).strip() + "'");
            }
        }

        private TypePredicate or(int depth) throws InvalidApp {
            var left = and(depth);
            while (take("or")) {
                var first = left;
                var second = and(depth);
                left = value -> first.test(value) || second.test(value);
            }
            return left;
        }

        private TypePredicate and(int depth) throws InvalidApp {
            var left = term(depth);
            while (take("and")) {
                var first = left;
                var second = term(depth);
                left = value -> first.test(value) && second.test(value);
            }
            return left;
        }

        private TypePredicate term(int depth) throws InvalidApp {
            if (depth > MAX_DEPTH) {
                throw wrong("it is nested too deeply");
            }
            if (take("not")) {
                var negated = term(depth + 1);
                return value -> !negated.test(value);
            }
            if (take("(")) {
                var inner = or(depth + 1);
                require(")");
                return inner;
            }
            var name = next();
            return switch (name.text) {
                case "true" -> _ -> true;
                case "false" -> _ -> false;
                case "field-exists" -> fieldExists();
                case "field-eq" -> fieldEq();
                case "value-eq" -> valueEq();
                default ->
                    throw wrong("unknown predicate '" + name.text + "'" + Nearest.question(name.text, PREDICATES));
            };
        }

        private TypePredicate fieldExists() throws InvalidApp {
            require("(");
            var paths = new ArrayList<ValuePath>();
            do {
                paths.add(ValuePath.parse(next().text));
            } while (take(","));
            require(")");
            return value -> paths.stream().allMatch(path -> path.find(value).isPresent());
        }

        private TypePredicate fieldEq() throws InvalidApp {
            require("(");
            @Nullable ValuePath path = null;
            @Nullable BsonValue expected = null;
            do {
                var name = next().text;
                require("=");
                switch (name) {
                    case "field" -> path = ValuePath.parse(next().text);
                    case "value" -> expected = json(next().text);
                    default -> throw wrong("unknown parameter '" + name + "'");
                }
            } while (take(","));
            require(")");
            if (path == null || expected == null) {
                throw wrong("field-eq needs field and value");
            }
            var where = path;
            var what = expected;
            return value -> where.find(value).filter(what::equals).isPresent();
        }

        private TypePredicate valueEq() throws InvalidApp {
            require("(");
            if (take("value")) {
                require("=");
            }
            var expected = json(next().text);
            require(")");
            return expected::equals;
        }

        private BsonValue json(String json) throws InvalidApp {
            try {
                var values = JsonParser.parse("[" + json + "]").asArray();
                if (values.size() == 1) {
                    return values.getFirst();
                }
            } catch (MalformedJsonException _) { // reported below
            }
            throw wrong("'" + json + "' is not JSON");
        }

        private Token next() throws InvalidApp {
            if (at == tokens.size()) {
                throw wrong("it ends too early");
            }
            return tokens.get(at++);
        }

        private boolean take(String expected) {
            if (at < tokens.size()
                    && !tokens.get(at).quoted
                    && tokens.get(at).text.equals(expected)) {
                at++;
                return true;
            }
            return false;
        }

        private void require(String expected) throws InvalidApp {
            if (!take(expected)) {
                throw wrong("'" + expected + "' expected");
            }
        }

        private InvalidApp wrong(String why) {
            return new InvalidApp("error parsing $typeResolver predicate: " + text + ": " + why);
        }
    }
}
