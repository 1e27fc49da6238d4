package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.restheart.security.predicate.Lexer.Token;
import org.restheart.text.Nearest;

/// The arguments of a predicate: named parameters, or values of its default parameter.
record PredicateArguments(Map<String, List<Token>> named, List<Token> positional) {
    static final PredicateArguments NONE = new PredicateArguments(new LinkedHashMap<>(), List.of());

    /// The same with all arguments named.
    ///
    /// @param known every parameter, the default one first; empty for a predicate without parameters
    PredicateArguments resolve(Token predicate, boolean hasDefault, List<String> known) throws PredicateException {
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
                    predicate.text() + (known.isEmpty() ? " has no parameters" : " needs named parameters " + known),
                    predicate.column());
        }
        var all = new LinkedHashMap<>(named);
        all.put(known.getFirst(), positional);
        return new PredicateArguments(all, List.of());
    }

    /// At least one value.
    List<Token> some(Token predicate, String name) throws PredicateException {
        var values = named.getOrDefault(name, List.of());
        if (values.isEmpty()) {
            throw missing(predicate, name);
        }
        return values;
    }

    private static PredicateException missing(Token predicate, String name) {
        return new PredicateException(
                predicate.text() + " needs " + name + " in parentheses, " + predicate.text() + "('...'),",
                predicate.column());
    }

    List<Token> any(String name) {
        return named.getOrDefault(name, List.of());
    }

    Token one(Token predicate, String name) throws PredicateException {
        return optional(predicate, name).orElseThrow(() -> missing(predicate, name));
    }

    Optional<Token> optional(Token predicate, String name) throws PredicateException {
        var values = named.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw new PredicateException(
                    name + " takes one value", values.get(1).column());
        }
        return values.stream().findFirst();
    }

    boolean flag(Token predicate, String name, boolean absent) throws PredicateException {
        var value = optional(predicate, name);
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

    long number(Token predicate, String name) throws PredicateException {
        var value = one(predicate, name);
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
