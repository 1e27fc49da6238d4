package org.restheart.bson;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/// Rewrites to Extended JSON, or refuses, what the driver's parser does not know or changes without a word:
///
/// - constructors of mongosh: `Long("5")`, `Int32(5)`, `new Date("2024-01-01")`, `Timestamp({t: 1, i: 2})`, `DBRef("c",
/// 1)` …;
/// - dates with an offset as mongoexport 2 writes it: `{"$date": "2009-04-01T00:00:00.000-0700"}`;
/// - a `$timestamp` beyond 32 bits, a subtype of binary values beyond 8 bits.
///
/// Confined to one call.
final class ShellJson {
    private static final String QUOTED = "(?:\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|'[^'\\\\]*+(?:\\\\.[^'\\\\]*+)*+')";
    private static final String NUMBER = "[-+]?(?:[0-9]++(?:\\.[0-9]*+)?(?:[eE][-+]?[0-9]++)?|Infinity|NaN)";
    private static final String ARGUMENT = "(?:" + QUOTED + "|" + NUMBER + ")";
    private static final String COLON = "\\s*+:\\s*+";

    /// Strings and regular expressions match as wholes, so that nothing inside them does.
    private static final Pattern TOKEN = Pattern.compile(
            "(?<key>[\"']?)\\$(?:date\\k<key>" + COLON + "(?<date>" + QUOTED + ")"
                    + "|timestamp\\k<key>" + COLON + "\\{(?<timestamp>[^{}]*+)\\}"
                    + "|binary\\k<key>" + COLON + "\\{[^{}]*?subType[\"']?" + COLON + "(?<subtype>" + ARGUMENT + ")"
                    + "|binary\\k<key>" + COLON + QUOTED + "\\s*+,\\s*+[\"']?\\$type[\"']?" + COLON
                    + "(?<type>" + ARGUMENT + ")"
                    + "|type\\k<key>" + COLON + "(?<before>" + ARGUMENT + ")\\s*+,\\s*+[\"']?\\$binary\\b)"
                    + "|" + QUOTED
                    + "|/(?:[^/\\\\]|\\\\.)++/"
                    + "|(?<![\\w$])(?:new\\s++)?(?:(?<name>[A-Z]\\w*+(?:\\.\\w++)?)\\s*+\\(\\s*+(?:(?<first>" + ARGUMENT
                    + ")\\s*+(?:,\\s*+(?<second>" + ARGUMENT + ")\\s*+)?)?\\)"
                    + "|Timestamp\\s*+\\(\\s*+\\{(?<parts>[^{}]*+)\\}\\s*+\\)"
                    + "|(?<open>DBRef|Code)\\s*+\\()"
                    + "|(?<mark>[\\[\\](){},])",
            Pattern.DOTALL);

    private static final Pattern PART = Pattern.compile("([ti])[\"']?" + COLON + "(-?[0-9]++)");

    private static final DateTimeFormatter DATE = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendPattern("['T'][' ']")
            .optionalStart()
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .optionalEnd()
            .appendPattern("[XXX][XX][X]")
            .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
            .toFormatter()
            .withResolverStyle(ResolverStyle.STRICT);

    private final String text;
    private final Matcher token;
    private final StringBuilder out = new StringBuilder();

    /// The constructors with arguments of any kind that are open, innermost first, and the brackets in them.
    private final Deque<Character> open = new ArrayDeque<>();

    private final Deque<Iterator<String>> fields = new ArrayDeque<>();

    private ShellJson(String text) {
        this.text = text;
        this.token = TOKEN.matcher(text);
    }

    /// The text for the driver's parser: the same one if there is nothing to rewrite.
    ///
    /// @throws MalformedJsonException for values out of range
    static String rewrite(String text) {
        return text.indexOf('(') >= 0
                        || text.contains("$date")
                        || text.contains("$timestamp")
                        || text.contains("$binary")
                ? new ShellJson(text).rewritten()
                : text;
    }

    private String rewritten() {
        while (token.find()) {
            var replacement = replacement();
            if (replacement != null) {
                token.appendReplacement(out, Matcher.quoteReplacement(replacement));
            }
        }
        return out.isEmpty() ? text : token.appendTail(out).toString();
    }

    /// Null for text that stays.
    private @Nullable String replacement() {
        if (token.group("mark") != null) {
            return mark(token.group("mark").charAt(0));
        }
        if (token.group("open") != null) {
            return opening(token.group("open"));
        }
        if (token.group("parts") != null) {
            requireParts(token.group("parts"));
            return "{\"$timestamp\": {" + token.group("parts") + "}}";
        }
        if (token.group("name") != null) {
            return constructed(token.group("name"), token.group("first"), token.group("second"));
        }
        if (token.group("date") != null) {
            var before = text.substring(token.start(), token.start("date"));
            return date(inside("date"), true)
                    .map(millis -> before + number("$numberLong", Long.toString(millis)))
                    .orElse(null);
        }
        if (token.group("timestamp") != null) {
            requireParts(token.group("timestamp"));
        }
        requireSubtype(token.group("subtype"));
        requireSubtype(token.group("type"));
        requireSubtype(token.group("before"));
        return null;
    }

    private String inside(String group) {
        var quoted = token.group(group);
        return quoted.substring(1, quoted.length() - 1);
    }

    private String opening(String name) {
        open.push('(');
        fields.push((name.equals("DBRef") ? List.of("$ref", "$id", "$db") : List.of("$code", "$scope")).iterator());
        return "{\"" + fields.element().next() + "\": ";
    }

    private @Nullable String mark(char mark) {
        if (open.isEmpty()) {
            return null;
        }
        switch (mark) {
            case '[', '{', '(' -> open.push(mark == '(' ? '[' : mark);
            case ',' -> {
                if (open.element() == '(' && fields.element().hasNext()) {
                    return ", \"" + fields.element().next() + "\": ";
                }
            }
            default -> {
                if (open.pop() == '(') {
                    fields.pop();
                    return "}";
                }
            }
        }
        return null;
    }

    /// @param first argument, as it stands
    private @Nullable String constructed(String name, @Nullable String first, @Nullable String second) {
        if (first == null) {
            return switch (name) {
                case "ObjectId" -> field("$oid", new ObjectId().toHexString());
                case "UUID" -> field("$uuid", UUID.randomUUID().toString());
                default -> null;
            };
        }
        var plain = first.charAt(0) == '"' || first.charAt(0) == '\'' ? inside("first") : first;
        return switch (name) {
            case "Long", "Long.fromString", "Long.fromNumber" -> number("$numberLong", plain);
            case "Int32", "Int32.fromString" -> number("$numberInt", plain);
            case "Double", "Double.fromString" -> number("$numberDouble", plain);
            case "Decimal128", "Decimal128.fromString" -> number("$numberDecimal", plain);
            case "Date", "ISODate" ->
                plain.equals(first)
                        ? null
                        : date(plain, false)
                                .map(millis -> "{\"$date\": " + number("$numberLong", Long.toString(millis)) + "}")
                                .orElse(null);
            case "Timestamp" -> {
                if (first.startsWith("-") || (second != null && second.startsWith("-"))) {
                    yield null; // signed, as the driver writes them
                }
                var parts = "\"t\": " + first + ", \"i\": " + (second == null ? "0" : second);
                requireParts(parts);
                yield "{\"$timestamp\": {" + parts + "}}";
            }
            case "BinData", "HexData" -> {
                requireSubtype(first);
                yield null;
            }
            case "Code" -> second == null ? "{\"$code\": " + first + "}" : null;
            case "Symbol", "BSONSymbol" -> "{\"$symbol\": " + first + "}";
            case "BSONRegExp" ->
                "{\"$regularExpression\": {\"pattern\": " + first + ", \"options\": "
                        + (second == null ? "\"\"" : second) + "}}";
            case "DBRef" -> second == null ? null : "{\"$ref\": " + first + ", \"$id\": " + second + "}";
            case "ObjectId.createFromHexString" -> field("$oid", plain);
            case "MD5" -> binary(hex(plain), "5");
            case "Binary.createFromBase64" -> binary(plain, second == null ? "0" : second);
            case "Binary.createFromHexString" -> binary(hex(plain), second == null ? "0" : second);
            default -> null;
        };
    }

    private static String field(String name, String value) {
        return "{\"" + name + "\": \"" + value + "\"}";
    }

    private static String number(String type, String digits) {
        return field(type, digits.startsWith("+") ? digits.substring(1) : digits);
    }

    private static String binary(String base64, String subtype) {
        requireSubtype(subtype);
        return "{\"$binary\": {\"base64\": \"" + base64 + "\", \"subType\": \""
                + String.format("%02x", Integer.parseInt(subtype)) + "\"}}";
    }

    private static String hex(String digits) {
        try {
            return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(digits));
        } catch (IllegalArgumentException _) {
            throw new MalformedJsonException("a binary value is not hexadecimal");
        }
    }

    /// Milliseconds since 1970; empty for what the driver's parser knows or refuses.
    ///
    /// @param withOffset whether it must have an offset; else UTC is the default
    private static Optional<Long> date(String text, boolean withOffset) {
        try {
            var date = DATE.parse(text);
            if (withOffset && !date.isSupported(ChronoField.OFFSET_SECONDS)) {
                return Optional.empty();
            }
            int offset = date.isSupported(ChronoField.OFFSET_SECONDS) ? date.get(ChronoField.OFFSET_SECONDS) : 0;
            return Optional.of(LocalDateTime.from(date)
                    .toInstant(ZoneOffset.ofTotalSeconds(offset))
                    .toEpochMilli());
        } catch (DateTimeException | ArithmeticException _) {
            return Optional.empty();
        }
    }

    private static void requireParts(String parts) {
        var part = PART.matcher(parts);
        while (part.find()) {
            var digits = part.group(2);
            if (digits.length() > 10 || Long.parseLong(digits) != (Long.parseLong(digits) & 0xffff_ffffL)) {
                throw new MalformedJsonException(
                        "the " + part.group(1) + " of a timestamp is a whole number from 0 to 4294967295");
            }
        }
    }

    /// @param subtype hexadecimal in quotes, or decimal
    private static void requireSubtype(@Nullable String subtype) {
        boolean valid =
                subtype == null || subtype.matches("[\"'][0-9a-fA-F]{0,2}[\"']|[01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5]");
        if (!valid) {
            throw new MalformedJsonException("the subtype of a binary value has 8 bits: \"00\" to \"ff\"");
        }
    }
}
