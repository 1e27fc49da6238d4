package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.restheart.security.predicate.PredicateBuilder.PredicateArguments;
import org.restheart.security.predicate.PredicateParser.Lexer.Kind;
import org.restheart.security.predicate.PredicateParser.Lexer.Token;

/// Parses the text of an access rule: `not` binds tightest, then `and`, then `or`; arguments are enclosed in `(…)` or
/// `[…]`.
public final class PredicateParser {
    /// The variables of filters. Predicates do not support all of them; read as text, the others would make a rule that
    /// any client can satisfy.
    public static final Set<String> FILTER_VARIABLES =
            Set.of("@user", "@request", "@now", "@filter", "@qparams", "@rnd", "@mongoPermissions");

    private static final int MAX_LENGTH = 65_536;
    private static final int MAX_DEPTH = 100;

    private final String text;
    private final List<Token> tokens;
    /// By identity: two equal predicates may be written in different ways.
    private final IdentityHashMap<Predicate, String> written = new IdentityHashMap<>();

    private int at;
    private int depth;

    private PredicateParser(String text, List<Token> tokens) {
        this.text = text;
        this.tokens = tokens;
    }

    /// @throws PredicateException with the error and its position
    public static Predicate parse(String text) throws PredicateException {
        return parser(text).whole();
    }

    /// The predicate with the text of each of its parts.
    ///
    /// @throws PredicateException as [#parse]
    public static PredicateText parseWithText(String text) throws PredicateException {
        var parser = parser(text);
        return new PredicateText(parser.whole(), parser.written);
    }

    private static PredicateParser parser(String text) throws PredicateException {
        if (text.length() > MAX_LENGTH) {
            throw new PredicateException("more than " + MAX_LENGTH + " characters", MAX_LENGTH);
        }
        return new PredicateParser(text, Lexer.tokens(text));
    }

    private Predicate whole() throws PredicateException {
        var predicate = any();
        if (peek().kind() != Kind.END) {
            throw unexpected("'and', 'or' or the end");
        }
        return predicate;
    }

    private Predicate any() throws PredicateException {
        int start = peek().column();
        var alternatives = new ArrayList<Predicate>();
        do {
            alternatives.add(all());
        } while (accept("or"));
        return noted(
                start,
                alternatives.size() == 1 ? alternatives.getFirst() : new Predicate.Any(List.copyOf(alternatives)));
    }

    private Predicate noted(int start, Predicate predicate) {
        written.putIfAbsent(predicate, text.substring(start, peek().column()).strip());
        return predicate;
    }

    private Predicate all() throws PredicateException {
        int start = peek().column();
        var conditions = new ArrayList<Predicate>();
        do {
            conditions.add(one());
        } while (accept("and"));
        return noted(
                start, conditions.size() == 1 ? conditions.getFirst() : new Predicate.All(List.copyOf(conditions)));
    }

    private Predicate one() throws PredicateException {
        if (++depth > MAX_DEPTH) {
            throw new PredicateException("nested deeper than " + MAX_DEPTH + " levels", peek().column());
        }
        int start = peek().column();
        try {
            if (accept("not")) {
                return noted(start, new Predicate.Not(one()));
            }
            if (peek().is("(")) {
                at++;
                var inner = any();
                expect(")");
                return inner;
            }
            return noted(start, call());
        } finally {
            depth--;
        }
    }

    private Predicate call() throws PredicateException {
        var name = peek();
        if (name.kind() != Kind.WORD || name.isWord("and") || name.isWord("or")) {
            throw unexpected("a predicate");
        }
        at++;
        return PredicateBuilder.build(arguments(name));
    }

    private PredicateArguments arguments(Token predicate) throws PredicateException {
        var none = new PredicateArguments(predicate, Map.of(), List.of());
        if (!peek().is("(") && !peek().is("[")) {
            return none;
        }
        var close = peek().is("(") ? ")" : "]";
        at++;
        if (peek().is(close)) {
            at++;
            return none;
        }
        if (peek().isValue() && tokens.get(at + 1).is("=")) {
            var named = new LinkedHashMap<String, List<Token>>();
            do {
                var name = value();
                expect("=");
                if (named.put(name.text(), values()) != null) {
                    throw new PredicateException("parameter " + name.text() + " is given twice", name.column());
                }
            } while (acceptComma());
            expect(close);
            return new PredicateArguments(predicate, named, List.of());
        }
        var positional = new ArrayList<>(values());
        while (acceptComma()) {
            positional.add(value());
        }
        expect(close);
        return new PredicateArguments(predicate, Map.of(), positional);
    }

    private List<Token> values() throws PredicateException {
        if (!peek().is("{")) {
            return List.of(value());
        }
        at++;
        var values = new ArrayList<Token>();
        if (!peek().is("}")) {
            do {
                values.add(value());
            } while (acceptComma());
        }
        expect("}");
        return values;
    }

    private Token value() throws PredicateException {
        var token = peek();
        if (!token.isValue()) {
            throw unexpected("a value");
        }
        at++;
        return token;
    }

    private boolean accept(String word) {
        boolean found = peek().isWord(word);
        if (found) {
            at++;
        }
        return found;
    }

    private boolean acceptComma() {
        boolean found = peek().is(",");
        if (found) {
            at++;
        }
        return found;
    }

    private void expect(String punctuation) throws PredicateException {
        if (!peek().is(punctuation)) {
            throw unexpected("'" + punctuation + "'");
        }
        at++;
    }

    private Token peek() {
        return tokens.get(at);
    }

    private PredicateException unexpected(String wanted) {
        var hint = peek().is("{") ? " (a value with braces is quoted: path-template('/books/{id}'))" : "";
        return new PredicateException("expected " + wanted + " but found " + peek().text() + hint, peek().column());
    }

    /// A predicate that knows how its parts are written, to say why it is not true of a request.
    public record PredicateText(Predicate predicate, Map<Predicate, String> written) {
        /// The first part that is not true, as written, of a predicate that is not true as a whole: of a
        /// conjunction the first such condition, of anything else the whole.
        public String failing(Attempt attempt) {
            attempt.forget();
            var part = predicate;
            while (part instanceof Predicate.All(var conditions)) {
                part = conditions.stream()
                        .filter(condition -> !attempt.holds(condition))
                        .findFirst()
                        .orElse(conditions.getLast());
            }
            return written.getOrDefault(part, "");
        }
    }

    /// Splits the text of a predicate into tokens.
    static final class Lexer {
        private static final String PUNCTUATION = "(),={}[]";

        enum Kind {
            WORD,
            QUOTED,
            PUNCTUATION,
            END
        }

        record Token(Kind kind, String text, int column) {
            boolean is(String punctuation) {
                return kind == Kind.PUNCTUATION && text.equals(punctuation);
            }

            boolean isWord(String word) {
                return kind == Kind.WORD && text.equals(word);
            }

            boolean isValue() {
                return kind == Kind.WORD || kind == Kind.QUOTED;
            }
        }

        private final String text;
        private int at;

        private Lexer(String text) {
            this.text = text;
        }

        static List<Token> tokens(String text) throws PredicateException {
            var lexer = new Lexer(text);
            var tokens = new ArrayList<Token>();
            while (true) {
                var token = lexer.next();
                tokens.add(token);
                if (token.kind() == Kind.END) {
                    return tokens;
                }
            }
        }

        private Token next() throws PredicateException {
            while (at < text.length() && isBlank(text.charAt(at))) {
                at++;
            }
            if (at == text.length()) {
                return new Token(Kind.END, "the end", at);
            }
            int start = at;
            char c = text.charAt(at);
            if (PUNCTUATION.indexOf(c) >= 0) {
                at++;
                return new Token(Kind.PUNCTUATION, String.valueOf(c), start);
            }
            return c == '\'' || c == '"' ? quoted(c) : word();
        }

        private static boolean isBlank(char c) {
            return c == ' ' || c == '\t' || c == '\r' || c == '\n';
        }

        /// A backslash escapes the delimiter only: any other belongs to the value, as regular
        /// expressions need it.
        private Token quoted(char delimiter) throws PredicateException {
            int start = at++;
            var value = new StringBuilder();
            for (; at < text.length(); at++) {
                char c = text.charAt(at);
                if (c == delimiter) {
                    at++;
                    return new Token(Kind.QUOTED, value.toString(), start);
                }
                if (c == '\\' && at + 1 < text.length() && text.charAt(at + 1) == delimiter) {
                    at++;
                    c = delimiter;
                }
                value.append(c);
            }
            throw new PredicateException("quote is not closed", start);
        }

        private Token word() throws PredicateException {
            int start = at;
            for (; at < text.length(); at++) {
                char c = text.charAt(at);
                if ((c == '%' || c == '$') && at + 1 < text.length() && text.charAt(at + 1) == '{') {
                    int end = text.indexOf('}', at);
                    if (end < 0) {
                        throw new PredicateException(c + "{ is not closed", at);
                    }
                    at = end;
                } else if (c == '\'' || c == '"') {
                    throw new PredicateException("unexpected quote", at);
                } else if (isBlank(c) || PUNCTUATION.indexOf(c) >= 0) {
                    break;
                }
            }
            return new Token(Kind.WORD, text.substring(start, at), start);
        }
    }
}
