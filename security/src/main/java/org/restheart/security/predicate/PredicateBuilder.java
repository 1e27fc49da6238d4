package org.restheart.security.predicate;

import static org.restheart.security.predicate.PredicateBuilder.PredicateArguments.constant;
import static org.restheart.security.predicate.PredicateBuilder.PredicateArguments.each;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.bson.BsonString;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Method;
import org.restheart.http.judged.Via;
import org.restheart.security.predicate.ContentPredicate.Relation;
import org.restheart.security.predicate.Operand.RequestAttribute;
import org.restheart.security.predicate.PredicateParser.Lexer.Kind;
import org.restheart.security.predicate.PredicateParser.Lexer.Token;
import org.restheart.security.predicate.RequestPredicate.Quantity;
import org.restheart.text.Nearest;
import org.restheart.text.Words;

/// The names of predicates and their parameters, the default one first.
record PredicateBuilder(PredicateArguments given) {
    private static final Set<String> NAMES = Words.of("""
            true false secure idempotent auth-required path path-prefix path-suffix path-template regex via action
            method equals contains exists in max-content-size min-content-size request-larger-than
            request-smaller-than qparams-contain qparams-blacklist qparams-whitelist qparams-size
            bson-request-contains bson-request-blacklist bson-request-whitelist bson-request-prop-equals
            bson-request-array-contains bson-request-array-is-subset""");

    private static final Set<String> METHODS =
            Arrays.stream(Method.values()).map(Method::name).collect(Collectors.toUnmodifiableSet());

    private static final Set<String> SERVICES =
            Arrays.stream(Via.Service.values()).map(Via.Service::label).collect(Collectors.toUnmodifiableSet());

    static Predicate build(PredicateArguments given) throws PredicateException {
        return new PredicateBuilder(given).build();
    }

    private Predicate build() throws PredicateException {
        var name = given.predicate();
        return switch (name.text()) {
            case "true" -> withoutParameters(new Predicate.Constant(true));
            case "false" -> withoutParameters(new Predicate.Constant(false));
            case "secure" -> withoutParameters(RequestPredicate.Trait.SECURE);
            case "idempotent" -> withoutParameters(RequestPredicate.Trait.IDEMPOTENT);
            case "auth-required" -> withoutParameters(RequestPredicate.Trait.AUTH_REQUIRED);
            case "path" -> paths(false);
            case "path-prefix" -> paths(true);
            case "path-suffix" -> new RequestPredicate.PathSuffix(texts(some("path")));
            case "path-template" -> template(arguments("value", "match"));
            case "regex" -> regex(arguments("pattern", "value", "full-match", "case-sensitive"));
            case "via" -> new RequestPredicate.ViaIs(Set.copyOf(each(some("service"), PredicateBuilder::service)));
            case "action" -> new RequestPredicate.ActionIs(Set.copyOf(each(some("name"), PredicateBuilder::action)));
            case "method" -> new RequestPredicate.MethodIs(Set.copyOf(each(some("value"), PredicateBuilder::method)));
            case "equals" -> new RequestPredicate.Equal(each(some("value"), OperandParser::attribute));
            case "contains" -> {
                var arguments = named("search", "value");
                yield new RequestPredicate.Contains(texts(arguments.some("search")), arguments.attribute("value"));
            }
            case "exists" -> new RequestPredicate.Exists(arguments("value").attribute("value"));
            case "in" -> {
                var arguments = named("value", "array");
                yield new RequestPredicate.In(arguments.attribute("value"), texts(arguments.some("array")));
            }
            case "max-content-size" -> new RequestPredicate.ContentLength(0, number("value"));
            case "min-content-size" -> new RequestPredicate.ContentLength(number("value"), Long.MAX_VALUE);
            case "request-larger-than" -> new RequestPredicate.ContentLength(number("size") + 1, Long.MAX_VALUE);
            case "request-smaller-than" -> new RequestPredicate.ContentLength(0, number("size") - 1);
            case "qparams-contain" -> parameters(Quantity.ALL, "qparams");
            case "qparams-blacklist" -> parameters(Quantity.NONE, "blacklist");
            case "qparams-whitelist" -> parameters(Quantity.ONLY, "whitelist");
            case "qparams-size" ->
                new RequestPredicate.ParameterCount(
                        Math.toIntExact(Math.clamp(number("size"), Integer.MIN_VALUE, Integer.MAX_VALUE)));
            case "bson-request-contains" -> content(Quantity.ALL, "keys");
            case "bson-request-blacklist" -> content(Quantity.NONE, "blacklist");
            case "bson-request-whitelist" -> content(Quantity.ONLY, "whitelist");
            case "bson-request-prop-equals" -> {
                var arguments = arguments("key", "value");
                yield property(Relation.EQUALS, arguments, List.of(arguments.one("value")));
            }
            case "bson-request-array-contains" -> {
                var arguments = arguments("key", "values");
                yield property(Relation.CONTAINS, arguments, arguments.some("values"));
            }
            case "bson-request-array-is-subset" -> {
                var arguments = arguments("key", "values");
                yield property(Relation.IS_SUBSET, arguments, arguments.some("values"));
            }
            default ->
                throw new PredicateException(
                        "unknown predicate " + name.text() + Nearest.question(name.text(), NAMES), name.column());
        };
    }

    private Predicate withoutParameters(Predicate predicate) throws PredicateException {
        named();
        return predicate;
    }

    private PredicateArguments arguments(String... names) throws PredicateException {
        return given.resolve(true, List.of(names));
    }

    private PredicateArguments named(String... names) throws PredicateException {
        return given.resolve(false, List.of(names));
    }

    /// Of a predicate with one parameter.
    private List<Token> some(String parameter) throws PredicateException {
        return arguments(parameter).some(parameter);
    }

    private long number(String parameter) throws PredicateException {
        return arguments(parameter).number(parameter);
    }

    private Predicate paths(boolean prefix) throws PredicateException {
        var constant = new ArrayList<PathPattern>();
        var variable = new ArrayList<Operand>();
        for (var value : some("path")) {
            var operand = OperandParser.text(value);
            if (operand instanceof Operand.Literal(var text)) {
                constant.add(PathPattern.parse(text));
            } else {
                variable.add(operand);
            }
        }
        return new RequestPredicate.Path(List.copyOf(constant), List.copyOf(variable), prefix);
    }

    private static Predicate template(PredicateArguments arguments) throws PredicateException {
        var value = arguments.one("value");
        var match = arguments.optional("match");
        try {
            return new RequestPredicate.Template(
                    PathTemplate.parse(constant(value)),
                    match.isPresent() ? OperandParser.attribute(match.get()) : null);
        } catch (IllegalArgumentException e) {
            throw new PredicateException(String.valueOf(e.getMessage()), value.column());
        }
    }

    private static Predicate regex(PredicateArguments arguments) throws PredicateException {
        var pattern = arguments.one("pattern");
        var value = arguments.optional("value");
        boolean caseSensitive = arguments.flag("case-sensitive", true);
        try {
            return new RequestPredicate.Regex(
                    Pattern.compile(constant(pattern), caseSensitive ? 0 : Pattern.CASE_INSENSITIVE),
                    value.isPresent()
                            ? OperandParser.attribute(value.get())
                            : new Operand.Attribute(RequestAttribute.RELATIVE_PATH),
                    arguments.flag("full-match", false));
        } catch (PatternSyntaxException e) {
            throw new PredicateException("bad regular expression: " + e.getDescription(), pattern.column());
        }
    }

    private static Method method(Token value) throws PredicateException {
        return Method.of(constant(value).toUpperCase(Locale.ROOT)).orElseThrow(() -> unknown("method", value, METHODS));
    }

    private static Via.Service service(Token value) throws PredicateException {
        return Via.Service.of(constant(value)).orElseThrow(() -> unknown("service", value, SERVICES));
    }

    /// A name that no service knows would never apply.
    private static String action(Token value) throws PredicateException {
        var action = constant(value);
        if (!Via.ACTIONS.contains(action)) {
            throw unknown("action", value, Via.ACTIONS);
        }
        return action;
    }

    private static PredicateException unknown(String what, Token value, Set<String> known) {
        return new PredicateException(
                "unknown " + what + " " + value.text() + Nearest.question(value.text(), known), value.column());
    }

    private Predicate parameters(Quantity quantity, String parameter) throws PredicateException {
        return new RequestPredicate.Parameters(quantity, Set.copyOf(names(quantity, parameter)));
    }

    private Predicate content(Quantity quantity, String parameter) throws PredicateException {
        return new ContentPredicate.Touches(quantity, names(quantity, parameter));
    }

    /// Only a whitelist may be empty.
    private List<String> names(Quantity quantity, String parameter) throws PredicateException {
        var values = quantity == Quantity.ONLY ? arguments(parameter).any(parameter) : some(parameter);
        return each(values, PredicateArguments::constant);
    }

    private static Predicate property(Relation relation, PredicateArguments arguments, List<Token> tokens)
            throws PredicateException {
        return new ContentPredicate.Property(
                relation, constant(arguments.one("key")), each(tokens, OperandParser::value));
    }

    private static List<Operand> texts(List<Token> values) throws PredicateException {
        return each(values, OperandParser::text);
    }

    /// The arguments of a predicate: named parameters, or values of its default parameter.
    ///
    /// @param predicate its name
    record PredicateArguments(Token predicate, Map<String, List<Token>> named, List<Token> positional) {
        /// The same with all arguments named.
        ///
        /// @param known every parameter, the default one first; empty for a predicate without parameters
        PredicateArguments resolve(boolean hasDefault, List<String> known) throws PredicateException {
            for (var name : named.keySet()) {
                if (!known.contains(name)) {
                    throw new PredicateException(
                            predicate.text() + " has no parameter " + name + Nearest.question(name, known),
                            predicate.column());
                }
            }
            if (positional.isEmpty()) {
                return this;
            }
            if (!hasDefault || known.isEmpty()) {
                throw new PredicateException(
                        predicate.text()
                                + (known.isEmpty() ? " has no parameters" : " needs named parameters " + known),
                        predicate.column());
            }
            var all = new LinkedHashMap<>(named);
            all.put(known.getFirst(), positional);
            return new PredicateArguments(predicate, all, List.of());
        }

        /// At least one value.
        List<Token> some(String name) throws PredicateException {
            var values = named.getOrDefault(name, List.of());
            if (values.isEmpty()) {
                throw missing(name);
            }
            return values;
        }

        private PredicateException missing(String name) {
            return new PredicateException(
                    predicate.text() + " needs " + name + " in parentheses, " + predicate.text() + "('...'),",
                    predicate.column());
        }

        List<Token> any(String name) {
            return named.getOrDefault(name, List.of());
        }

        Token one(String name) throws PredicateException {
            return optional(name).orElseThrow(() -> missing(name));
        }

        Operand attribute(String name) throws PredicateException {
            return OperandParser.attribute(one(name));
        }

        Optional<Token> optional(String name) throws PredicateException {
            var values = named.getOrDefault(name, List.of());
            if (values.size() > 1) {
                throw new PredicateException(
                        name + " takes one value", values.get(1).column());
            }
            return values.stream().findFirst();
        }

        boolean flag(String name, boolean absent) throws PredicateException {
            var value = optional(name);
            if (value.isEmpty()) {
                return absent;
            }
            return switch (value.get().text()) {
                case "true" -> true;
                case "false" -> false;
                default ->
                    throw new PredicateException(
                            name + " is true or false", value.get().column());
            };
        }

        long number(String name) throws PredicateException {
            var value = one(name);
            try {
                return Long.parseLong(value.text());
            } catch (NumberFormatException _) {
                throw new PredicateException(name + " is a whole number", value.column());
            }
        }

        static <T> List<T> each(List<Token> values, Reader<T> reader) throws PredicateException {
            var read = new ArrayList<T>(values.size());
            for (var value : values) {
                read.add(reader.read(value));
            }
            return List.copyOf(read);
        }

        interface Reader<T> {
            T read(Token value) throws PredicateException;
        }

        /// No variable.
        static String constant(Token value) throws PredicateException {
            if (OperandParser.text(value) instanceof Operand.Literal(var text)) {
                return text;
            }
            throw new PredicateException("no variable can stand here", value.column());
        }
    }

    /// Reads the values of a predicate's parameters.
    static final class OperandParser {

        private OperandParser() {}

        /// A value that may contain only variables.
        static Operand text(Token token) throws PredicateException {
            var text = token.text();
            if (token.kind() == Kind.QUOTED || !text.startsWith("@")) {
                return new Operand.Literal(text);
            }
            if (text.startsWith("@user.") && text.length() > "@user.".length()) {
                return new Operand.UserProperty(text.substring("@user.".length()));
            }
            if (text.startsWith("@request.body.") && text.length() > "@request.body.".length()) {
                return new Operand.BodyProperty(text.substring("@request.body.".length()));
            }
            int dot = text.indexOf('.');
            // a misspelt one as well: compared as text, it would make a negated condition true for everybody
            if (Nearest.to(dot < 0 ? text : text.substring(0, dot), PredicateParser.FILTER_VARIABLES)
                    .isPresent()) {
                throw new PredicateException(
                        text
                                + " is not a variable of predicates (they are @user.… and @request.body.…; in quotes it is"
                                + " text)",
                        token.column());
            }
            return new Operand.Literal(text);
        }

        /// A value that may also contain attributes of the request: `%m`, `%{i,Host}`, `${name}`.
        static Operand attribute(Token token) throws PredicateException {
            var text = token.text();
            if (!(text(token) instanceof Operand.Literal)) {
                return text(token);
            }
            var parts = new ArrayList<Operand>();
            var literal = new StringBuilder();
            for (int at = 0; at < text.length(); ) {
                char c = text.charAt(at);
                char next = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
                if ((c == '%' || c == '$') && next == c) {
                    literal.append(c);
                    at += 2;
                } else if ((c == '%' && Character.isLetter(next)) || ((c == '%' || c == '$') && next == '{')) {
                    int end = next == '{' ? text.indexOf('}', at) + 1 : at + 2;
                    if (end == 0) {
                        throw new PredicateException(c + "{ is not closed", token.column());
                    }
                    addLiteral(parts, literal);
                    parts.add(lookup(text.substring(at, end), token.column()));
                    at = end;
                } else {
                    literal.append(c);
                    at++;
                }
            }
            addLiteral(parts, literal);
            return switch (parts.size()) {
                case 0 -> new Operand.Literal("");
                case 1 -> parts.getFirst();
                default -> new Operand.Joined(List.copyOf(parts));
            };
        }

        /// A value of the content: JSON, or else plain text, or a variable.
        static Operand.Variable value(Token token) throws PredicateException {
            if (text(token) instanceof Operand.Variable variable) {
                return variable;
            }
            var text = token.text();
            try {
                var parsed = JsonParser.parse("[" + text + "]").asArray();
                return new Operand.Constant(parsed.size() == 1 ? parsed.getFirst() : new BsonString(text));
            } catch (MalformedJsonException _) {
                return new Operand.Constant(new BsonString(text));
            }
        }

        private static void addLiteral(List<Operand> parts, StringBuilder literal) {
            if (!literal.isEmpty()) {
                parts.add(new Operand.Literal(literal.toString()));
                literal.setLength(0);
            }
        }

        private static Operand lookup(String token, int column) throws PredicateException {
            if (token.startsWith("${")) {
                return new Operand.Binding(token.substring(2, token.length() - 1));
            }
            int comma = token.indexOf(',');
            if (comma > 0) {
                var name = token.substring(comma + 1, token.length() - 1);
                return switch (token.substring(2, comma)) {
                    case "i" -> new Operand.Header(name);
                    case "q" -> new Operand.Parameter(name);
                    case "c", "req-cookie" -> new Operand.Cookie(name);
                    default -> throw new PredicateException("unknown attribute " + token, column);
                };
            }
            return RequestAttribute.of(token)
                    .<Operand>map(Operand.Attribute::new)
                    .orElseThrow(() -> new PredicateException("unknown attribute " + token, column));
        }
    }
}
