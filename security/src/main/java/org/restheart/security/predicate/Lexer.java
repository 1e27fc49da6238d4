package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;

/// Splits the text of a predicate into tokens.
final class Lexer {
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

    /// A backslash escapes the delimiter only: any other belongs to the value, as regular expressions need it.
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
