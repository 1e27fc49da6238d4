package org.restheart.mongo.validator;

import java.util.Optional;
import java.util.regex.Pattern;

/// Patterns that Java and MongoDB (PCRE2) understand alike, once dots and dollars are written out.
final class PortablePattern {
    /// Where Java's dot does not match.
    private static final String DOT = "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]";

    private static final String ESCAPES = "dDwWsSbBtnrf";

    /// What matches one character other than those of ASCII.
    private static final Pattern BEYOND_ASCII =
            Pattern.compile("\\[^\\^|(?<!\\\\)(\\\\\\\\)*(\\.|\\\\[DWSBbu])|[^\\x00-\\x7f]");

    /// `{2}`, `{2,}`, `{2,3}`.
    private static final Pattern REPEATED = Pattern.compile("\\{\\d{1,4}(,\\d{0,4})?}");

    private final String pattern;
    private final StringBuilder out = new StringBuilder();
    private int at;

    private PortablePattern(String pattern) {
        this.pattern = pattern;
    }

    /// The same for MongoDB; empty if one of them may read it otherwise.
    static Optional<String> of(String pattern) {
        var translated = new PortablePattern(pattern);
        return translated.run() ? Optional.of(translated.out.toString()) : Optional.empty();
    }

    /// The same for names of fields, which MongoDB looks at byte by byte.
    static Optional<String> ofNames(String pattern) {
        return BEYOND_ASCII.matcher(pattern).find() ? Optional.empty() : of(pattern);
    }

    private boolean run() {
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            boolean known = switch (c) {
                case '\\' -> escape();
                case '[' -> set();
                case '(' -> group();
                case '{' -> repetition();
                case '.' -> copy(1, DOT);
                case '$' -> copy(1, "\\z");
                case '*', '+', '?' -> quantifier(1);
                case ']', '}' -> copy(1, "\\" + c);
                default -> copy(1, Character.toString(c));
            };
            if (!known) {
                return false;
            }
        }
        return true;
    }

    private boolean copy(int length, String as) {
        at += length;
        out.append(as);
        return true;
    }

    /// Possessive ones are not portable.
    private boolean quantifier(int length) {
        copy(length, pattern.substring(at, at + length));
        return at >= pattern.length() || pattern.charAt(at) != '+';
    }

    private boolean repetition() {
        var matcher = REPEATED.matcher(pattern).region(at, pattern.length());
        return matcher.lookingAt() && quantifier(matcher.end() - at);
    }

    /// Capturing or not, and looking ahead.
    private boolean group() {
        if (!pattern.startsWith("(?", at)) {
            return copy(1, "(");
        }
        return (pattern.startsWith("(?:", at) || pattern.startsWith("(?=", at) || pattern.startsWith("(?!", at))
                && copy(3, pattern.substring(at, at + 3));
    }

    private boolean escape() {
        if (at + 1 >= pattern.length()) {
            return false;
        }
        char c = pattern.charAt(at + 1);
        if (c == 'u') {
            return codePoint();
        }
        return (ESCAPES.indexOf(c) >= 0 || isPunctuation(c)) && copy(2, pattern.substring(at, at + 2));
    }

    /// A backslash, a `u` and four digits, but none of the halves of a pair.
    private boolean codePoint() {
        if (at + 6 > pattern.length()) {
            return false;
        }
        var digits = pattern.substring(at + 2, at + 6);
        return digits.matches("[0-9a-fA-F]{4}")
                && !Character.isSurrogate((char) Integer.parseInt(digits, 16))
                && copy(6, "\\x{" + digits + "}");
    }

    private static boolean isPunctuation(char c) {
        return c > ' ' && c < 0x7f && !Character.isLetterOrDigit(c);
    }

    /// Without sets in it, which only Java has.
    private boolean set() {
        copy(1, "[");
        if (at < pattern.length() && pattern.charAt(at) == '^') {
            copy(1, "^");
        }
        boolean empty = true;
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            if (c == ']') {
                return !empty && copy(1, "]");
            }
            boolean known = switch (c) {
                case '[', '&' -> false;
                case '\\' -> at + 1 < pattern.length() && "bB".indexOf(pattern.charAt(at + 1)) < 0 && escape();
                default -> copy(1, Character.toString(c));
            };
            if (!known) {
                return false;
            }
            empty = false;
        }
        return false;
    }
}
