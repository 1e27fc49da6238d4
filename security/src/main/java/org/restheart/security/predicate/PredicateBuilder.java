package org.restheart.security.predicate;

import static org.restheart.security.predicate.PredicateArguments.constant;
import static org.restheart.security.predicate.PredicateArguments.each;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.restheart.http.Method;
import org.restheart.http.judged.Via;
import org.restheart.security.predicate.ContentPredicate.Relation;
import org.restheart.security.predicate.Lexer.Token;
import org.restheart.security.predicate.RequestPredicate.Quantity;
import org.restheart.text.Nearest;
import org.restheart.text.Words;

/// The names of predicates and their parameters, the default one first.
record PredicateBuilder(Token name, PredicateArguments given) {
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

    static Predicate build(Token name, PredicateArguments given) throws PredicateException {
        return new PredicateBuilder(name, given).build();
    }

    private Predicate build() throws PredicateException {
        return switch (name.text()) {
            case "true" -> withoutParameters(new Predicate.Constant(true));
            case "false" -> withoutParameters(new Predicate.Constant(false));
            case "secure" -> withoutParameters(RequestPredicate.Trait.SECURE);
            case "idempotent" -> withoutParameters(RequestPredicate.Trait.IDEMPOTENT);
            case "auth-required" -> withoutParameters(RequestPredicate.Trait.AUTH_REQUIRED);
            case "path" -> paths(false);
            case "path-prefix" -> paths(true);
            case "path-suffix" ->
                new RequestPredicate.PathSuffix(texts(arguments("path").some(name, "path")));
            case "path-template" -> template(arguments("value", "match"));
            case "regex" -> regex(arguments("pattern", "value", "full-match", "case-sensitive"));
            case "via" -> services(arguments("service").some(name, "service"));
            case "action" -> actions(arguments("name").some(name, "name"));
            case "method" -> methods(arguments("value").some(name, "value"));
            case "equals" ->
                new RequestPredicate.Equal(each(arguments("value").some(name, "value"), OperandParser::attribute));
            case "contains" -> contains(named("search", "value"));
            case "exists" ->
                new RequestPredicate.Exists(
                        OperandParser.attribute(arguments("value").one(name, "value")));
            case "in" -> in(named("value", "array"));
            case "max-content-size" ->
                new RequestPredicate.ContentLength(0, arguments("value").number(name, "value"));
            case "min-content-size" ->
                new RequestPredicate.ContentLength(arguments("value").number(name, "value"), Long.MAX_VALUE);
            case "request-larger-than" ->
                new RequestPredicate.ContentLength(arguments("size").number(name, "size") + 1, Long.MAX_VALUE);
            case "request-smaller-than" ->
                new RequestPredicate.ContentLength(0, arguments("size").number(name, "size") - 1);
            case "qparams-contain" -> parameters(Quantity.ALL, "qparams");
            case "qparams-blacklist" -> parameters(Quantity.NONE, "blacklist");
            case "qparams-whitelist" ->
                new RequestPredicate.Parameters(
                        Quantity.ONLY,
                        Set.copyOf(constants(arguments("whitelist").any("whitelist"))));
            case "qparams-size" ->
                new RequestPredicate.ParameterCount(Math.toIntExact(
                        Math.clamp(arguments("size").number(name, "size"), Integer.MIN_VALUE, Integer.MAX_VALUE)));
            case "bson-request-contains" -> content(Quantity.ALL, "keys");
            case "bson-request-blacklist" -> content(Quantity.NONE, "blacklist");
            case "bson-request-whitelist" ->
                new ContentPredicate.Touches(
                        Quantity.ONLY, constants(arguments("whitelist").any("whitelist")));
            case "bson-request-prop-equals" -> {
                var arguments = arguments("key", "value");
                yield property(Relation.EQUALS, arguments, List.of(arguments.one(name, "value")));
            }
            case "bson-request-array-contains" -> {
                var arguments = arguments("key", "values");
                yield property(Relation.CONTAINS, arguments, arguments.some(name, "values"));
            }
            case "bson-request-array-is-subset" -> {
                var arguments = arguments("key", "values");
                yield property(Relation.IS_SUBSET, arguments, arguments.some(name, "values"));
            }
            default ->
                throw new PredicateException(
                        "unknown predicate " + name.text() + Nearest.question(name.text(), NAMES), name.column());
        };
    }

    private Predicate withoutParameters(Predicate predicate) throws PredicateException {
        given.resolve(name, false, List.of());
        return predicate;
    }

    private PredicateArguments arguments(String... names) throws PredicateException {
        return given.resolve(name, true, List.of(names));
    }

    private PredicateArguments named(String... names) throws PredicateException {
        return given.resolve(name, false, List.of(names));
    }

    private Predicate paths(boolean prefix) throws PredicateException {
        var constant = new ArrayList<PathPattern>();
        var variable = new ArrayList<Operand>();
        for (var value : arguments("path").some(name, "path")) {
            var operand = OperandParser.text(value);
            if (operand instanceof Operand.Literal(var text)) {
                constant.add(PathPattern.parse(text));
            } else {
                variable.add(operand);
            }
        }
        return new RequestPredicate.Path(List.copyOf(constant), List.copyOf(variable), prefix);
    }

    private Predicate template(PredicateArguments arguments) throws PredicateException {
        var value = arguments.one(name, "value");
        var match = arguments.optional(name, "match");
        try {
            return new RequestPredicate.Template(
                    PathTemplate.parse(constant(value)),
                    match.isPresent() ? OperandParser.attribute(match.get()) : null);
        } catch (IllegalArgumentException e) {
            throw new PredicateException(String.valueOf(e.getMessage()), value.column());
        }
    }

    private Predicate regex(PredicateArguments arguments) throws PredicateException {
        var pattern = arguments.one(name, "pattern");
        var value = arguments.optional(name, "value");
        boolean caseSensitive = arguments.flag(name, "case-sensitive", true);
        try {
            return new RequestPredicate.Regex(
                    Pattern.compile(constant(pattern), caseSensitive ? 0 : Pattern.CASE_INSENSITIVE),
                    value.isPresent()
                            ? OperandParser.attribute(value.get())
                            : new Operand.Attribute(RequestAttribute.RELATIVE_PATH),
                    arguments.flag(name, "full-match", false));
        } catch (PatternSyntaxException e) {
            throw new PredicateException("bad regular expression: " + e.getDescription(), pattern.column());
        }
    }

    private Predicate methods(List<Token> values) throws PredicateException {
        return new RequestPredicate.MethodIs(Set.copyOf(each(
                values,
                value -> Method.of(constant(value).toUpperCase(Locale.ROOT))
                        .orElseThrow(() -> new PredicateException(
                                "unknown method " + value.text() + Nearest.question(value.text(), METHODS),
                                value.column())))));
    }

    private Predicate services(List<Token> values) throws PredicateException {
        return new RequestPredicate.ViaIs(Set.copyOf(each(
                values,
                value -> Via.Service.of(constant(value))
                        .orElseThrow(() -> new PredicateException(
                                "unknown service " + value.text() + Nearest.question(value.text(), SERVICES),
                                value.column())))));
    }

    /// A name that no service knows would never apply.
    private static Predicate actions(List<Token> values) throws PredicateException {
        for (var value : values) {
            var action = constant(value);
            if (!Via.ACTIONS.contains(action)) {
                throw new PredicateException(
                        "unknown action " + action + Nearest.question(action, Via.ACTIONS), value.column());
            }
        }
        return new RequestPredicate.ActionIs(Set.copyOf(constants(values)));
    }

    private Predicate contains(PredicateArguments arguments) throws PredicateException {
        return new RequestPredicate.Contains(
                texts(arguments.some(name, "search")), OperandParser.attribute(arguments.one(name, "value")));
    }

    private Predicate in(PredicateArguments arguments) throws PredicateException {
        return new RequestPredicate.In(
                OperandParser.attribute(arguments.one(name, "value")), texts(arguments.some(name, "array")));
    }

    private Predicate parameters(Quantity quantity, String parameter) throws PredicateException {
        return new RequestPredicate.Parameters(
                quantity, Set.copyOf(constants(arguments(parameter).some(name, parameter))));
    }

    private Predicate content(Quantity quantity, String parameter) throws PredicateException {
        return new ContentPredicate.Touches(
                quantity, constants(arguments(parameter).some(name, parameter)));
    }

    private Predicate property(Relation relation, PredicateArguments arguments, List<Token> tokens)
            throws PredicateException {
        return new ContentPredicate.Property(
                relation, constant(arguments.one(name, "key")), each(tokens, OperandParser::value));
    }

    private static List<String> constants(List<Token> values) throws PredicateException {
        return each(values, PredicateArguments::constant);
    }

    private static List<Operand> texts(List<Token> values) throws PredicateException {
        return each(values, OperandParser::text);
    }
}
