package org.restheart.graphql;

import graphql.parser.ParserOptions;
import java.util.Optional;

/// Bounds of a query's text that are checked in one pass before it is parsed. The parser takes fifty times as long for
/// a digit as for a letter, and a time that grows with the square of the depth of nested brackets.
final class QueryText {
    /// Digits in a row; no number of BSON has more than 34.
    private static final int MAX_DIGITS = 400;

    /// Digits of all numbers.
    private static final int MAX_ALL_DIGITS = 20_000;

    /// The depth of nested brackets: as many as the parser nests rules.
    private static final int MAX_NESTING = ParserOptions.MAX_RULE_DEPTH;

    private final String text;
    private int at;

    private QueryText(String text) {
        this.text = text;
    }

    /// Why the query is refused; empty if it is not.
    static Optional<String> refusal(String query) {
        return isJson(query)
                ? Optional.of("this is JSON; an operation in JSON is the member query, sent as application/json")
                : new QueryText(query).check();
    }

    /// No name in a selection is in quotes.
    private static boolean isJson(String query) {
        var text = query.strip();
        return text.startsWith("{") && text.substring(1).stripLeading().startsWith("\"");
    }

    private Optional<String> check() {
        int nesting = 0;
        int digits = 0;
        int allDigits = 0;
        while (at < text.length()) {
            char c = text.charAt(at++);
            boolean isDigit = c >= '0' && c <= '9';
            digits = isDigit ? digits + 1 : 0;
            allDigits += isDigit ? 1 : 0;
            if (digits > MAX_DIGITS || allDigits > MAX_ALL_DIGITS) {
                return Optional.of("the query has more than " + (digits > MAX_DIGITS ? MAX_DIGITS : MAX_ALL_DIGITS)
                        + " digits" + (digits > MAX_DIGITS ? " in a row" : ""));
            }
            switch (c) {
                case '{', '[', '(' -> nesting++;
                case '}', ']', ')' -> nesting--;
                case '"' -> skipText();
                case '#' -> skipLine();
                default -> {}
            }
            if (nesting > MAX_NESTING) {
                return Optional.of("the query is nested too deeply");
            }
        }
        return Optional.empty();
    }

    private void skipLine() {
        while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
            at++;
        }
    }

    private void skipText() {
        if (text.startsWith("\"\"", at)) {
            at += 2;
            while (at < text.length() && !text.startsWith("\"\"\"", at)) {
                at += text.startsWith("\\\"\"\"", at) ? 4 : 1;
            }
            at += 3;
            return;
        }
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
    }
}
