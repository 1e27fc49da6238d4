package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonString;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.security.predicate.Lexer.Kind;
import org.restheart.security.predicate.Lexer.Token;
import org.restheart.text.Nearest;

/// Reads the values of a predicate's parameters.
final class OperandParser {

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
