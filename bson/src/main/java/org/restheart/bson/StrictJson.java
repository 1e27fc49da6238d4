package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import org.bson.types.Decimal128;

/// Reads the most common JSON from UTF-8 bytes into a [BsonSink]: a document or an array according to RFC
/// 8259, with the usual types of Extended JSON. For every other text it throws [NotStrict], and [DriverJson]
/// reads the text from its beginning. Confined to one thread.
final class StrictJson {
    private final byte[] in;
    private final BsonSink sink;
    private final BsonBuffer out;
    private final ExtendedJson extended;
    private int at;

    private StrictJson(byte[] in, BsonSink sink) {
        this.in = in;
        this.sink = sink;
        this.out = sink.out;
        this.extended = new ExtendedJson(this, in, sink);
    }

    /// The position behind the value; anything may follow.
    ///
    /// @throws NotStrict if the text does not begin with such a value; the sink is then useless
    /// @throws MalformedJsonException if it passes a bound
    static int read(byte[] utf8, BsonSink sink) {
        return new StrictJson(utf8, sink).root();
    }

    private int root() {
        byte first = nextToken();
        if (first != '{' && first != '[') {
            throw new NotStrict();
        }
        value(first);
        return at;
    }

    /// @param first the value's first byte; the position is after it
    private void value(byte first) {
        switch (first) {
            case '"' -> {
                sink.type(BsonTypes.STRING);
                int gap = out.gap();
                text(false);
                out.put((byte) 0);
                out.fill(gap, out.length - gap - 4);
            }
            case '{' -> object();
            case '[' -> array();
            case 't' -> {
                literal("rue");
                sink.bool(true);
            }
            case 'f' -> {
                literal("alse");
                sink.bool(false);
            }
            case 'n' -> {
                literal("ull");
                sink.type(BsonTypes.NULL);
            }
            default -> at = StrictNumber.read(in, at - 1, sink);
        }
    }

    private void object() {
        byte token = nextToken();
        if (token == '"' && at < in.length) {
            if (in[at] == '\\') { // may be an escaped dollar sign, which is rare: left to the other parser
                throw new NotStrict();
            }
            if (in[at] == '$' && extended.read(at)) {
                return;
            }
        }
        sink.beginDocument();
        if (token != '}') {
            while (true) {
                require(token, '"');
                int start = sink.beginName();
                text(true);
                sink.endName(start);
                require(nextToken(), ':');
                value(nextToken());
                byte separator = nextToken();
                if (separator == '}') {
                    break;
                }
                require(separator, ',');
                token = nextToken();
            }
        }
        sink.end();
    }

    private void array() {
        sink.beginArray();
        byte token = nextToken();
        if (token != ']') {
            while (true) {
                sink.nextIndex();
                value(token);
                byte separator = nextToken();
                if (separator == ']') {
                    break;
                }
                require(separator, ',');
                token = nextToken();
            }
        }
        sink.end();
    }

    /// Copies the text of a string up to and including the closing quote, which it does not copy.
    private void text(boolean isName) {
        int run = at;
        int i = at;
        while (true) {
            i = Utf8.plainEnd(in, i, in.length);
            byte b = i < in.length ? in[i] : 0;
            if (b < 0) {
                do {
                    int c = Utf8.codePoint(in, i, in.length);
                    if (c < 0) {
                        throw new NotStrict();
                    }
                    i += Utf8.size(c);
                } while (i < in.length && in[i] < 0);
            } else if (b == 0x7f) {
                i++;
            } else {
                out.put(in, run, i);
                i++;
                if (b == '"') {
                    at = i;
                    return;
                }
                require(b, '\\');
                at = i;
                escape(isName);
                i = at;
                run = at;
            }
        }
    }

    private void escape(boolean isName) {
        byte b = next();
        switch (b) {
            case '"', '\\', '/' -> out.put(b);
            case 'b' -> out.put((byte) '\b');
            case 'f' -> out.put((byte) '\f');
            case 'n' -> out.put((byte) '\n');
            case 'r' -> out.put((byte) '\r');
            case 't' -> out.put((byte) '\t');
            case 'u' -> unicode(isName);
            default -> throw new NotStrict();
        }
    }

    private void unicode(boolean isName) {
        int c = hex4();
        if (Character.isHighSurrogate((char) c)) {
            require(next(), '\\');
            require(next(), 'u');
            int low = hex4();
            if (!Character.isLowSurrogate((char) low)) {
                throw new NotStrict();
            }
            c = Character.toCodePoint((char) c, (char) low);
        } else if (Character.isLowSurrogate((char) c) || (c == 0 && isName)) {
            throw new NotStrict();
        }
        Utf8.write(c, out);
    }

    private int hex4() {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 4 | hex(next());
        }
        return value;
    }

    private void literal(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            require(next(), rest.charAt(i));
        }
    }

    /// The next byte that is not a blank; moves behind it. Zero, which begins nothing, at the end.
    byte nextToken() {
        while (at < in.length) {
            byte b = in[at++];
            if (!isBlank(b)) {
                return b;
            }
        }
        return 0;
    }

    private byte next() {
        return at < in.length ? in[at++] : 0;
    }

    int position() {
        return at;
    }

    void moveTo(int position) {
        at = position;
    }

    static void require(byte found, int expected) {
        if (found != expected) {
            throw new NotStrict();
        }
    }

    static int hex(byte digit) {
        int value = digit - '0';
        if (value >= 0 && value <= 9) {
            return value;
        }
        int letter = (digit | 0x20) - 'a';
        if (letter >= 0 && letter <= 5) {
            return letter + 10;
        }
        throw new NotStrict();
    }

    static boolean isBlank(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    /// Signals that a text is not plain JSON and must be read by [DriverJson]. Without stack trace.
    static final class NotStrict extends RuntimeException {
        NotStrict() {
            super("not plain JSON", null, false, false);
        }
    }

    /// The types of Extended JSON that occur in real data, in their usual form: `{"$oid": "…"}`, `{"$date":
    /// …}`, the numbers, `{"$binary": {"base64": "…", "subType": "…"}}`. All other special names are left to
    /// [DriverJson]. Confined to one thread.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record ExtendedJson(StrictJson text, byte[] in, BsonSink sink) {
        /// The length of `$regularExpression`.
        private static final int LONGEST_NAME = 18;

        /// Left to [DriverJson].
        private static final Set<String> OTHERS = Set.of(
                "$type",
                "$uuid",
                "$regex",
                "$options",
                "$regularExpression",
                "$code",
                "$minKey",
                "$maxKey",
                "$symbol",
                "$timestamp",
                "$undefined",
                "$dbPointer");

        /// Reads the rest of an object if it is one of these types.
        ///
        /// @param start where its first name begins, which is with a dollar sign
        /// @return false if it is a document; nothing was read then
        /// @throws NotStrict if it is a type that is not read here, or a known one in another form
        boolean read(int start) {
            int end = Utf8.plainEnd(in, start, in.length);
            if (end == in.length || in[end] == '\\') {
                throw new NotStrict();
            }
            if (in[end] != '"' || end - start > LONGEST_NAME) {
                return false;
            }
            switch (ascii(start, end)) {
                case "$oid" -> objectId(value(end));
                case "$date" -> date(value(end));
                case "$numberLong" -> sink.int64(integer(value(end)));
                case "$numberInt" -> sink.int32(int32(value(end)));
                case "$numberDouble" -> sink.float64(float64(value(end)));
                case "$numberDecimal" -> sink.decimal128(decimal128(value(end)));
                case "$binary" -> binary(value(end));
                case String name when OTHERS.contains(name) -> throw new NotStrict();
                default -> {
                    return false;
                }
            }
            StrictJson.require(text.nextToken(), '}');
            return true;
        }

        /// Skips the closing quote of a name and the colon; returns the first byte of the value.
        private byte value(int nameEnd) {
            text.moveTo(nameEnd + 1);
            StrictJson.require(text.nextToken(), ':');
            return text.nextToken();
        }

        private void objectId(byte first) {
            int from = text.position();
            if (skipString(first) - from != 24) {
                throw new NotStrict();
            }
            sink.type(BsonTypes.OBJECT_ID);
            int to = sink.out.room(12);
            for (int i = 0; i < 12; i++) {
                sink.out.bytes[to + i] =
                        (byte) (StrictJson.hex(in[from + 2 * i]) << 4 | StrictJson.hex(in[from + 2 * i + 1]));
            }
            sink.out.length = to + 12;
        }

        private void date(byte first) {
            int from = text.position();
            switch (first) {
                case '"' -> sink.date(Dates.parse(in, from, skipString(first)));
                case '{' -> {
                    name("$numberLong", text.nextToken());
                    sink.date(integer(text.nextToken()));
                    StrictJson.require(text.nextToken(), '}');
                }
                default -> {
                    int end = from;
                    while (end < in.length && in[end] >= '0' && in[end] <= '9') {
                        end++;
                    }
                    sink.date(StrictNumber.int64(in, from - 1, end));
                    text.moveTo(end);
                }
            }
        }

        private long integer(byte first) {
            int from = text.position();
            return StrictNumber.int64(in, from, skipString(first));
        }

        private int int32(byte first) {
            long value = integer(first);
            if (value != (int) value) {
                throw new NotStrict();
            }
            return (int) value;
        }

        private double float64(byte first) {
            try {
                return Double.parseDouble(string(first));
            } catch (NumberFormatException _) {
                throw new NotStrict();
            }
        }

        private Decimal128 decimal128(byte first) {
            String digits = string(first);
            try {
                return LongDigits.decimal128(digits);
            } catch (NumberFormatException _) {
                throw new NotStrict();
            }
        }

        private void binary(byte first) {
            StrictJson.require(first, '{');
            name("base64", text.nextToken());
            String base64 = string(text.nextToken());
            StrictJson.require(text.nextToken(), ',');
            name("subType", text.nextToken());
            byte quote = text.nextToken();
            int from = text.position();
            if (skipString(quote) - from != 2) {
                throw new NotStrict();
            }
            StrictJson.require(text.nextToken(), '}');
            try {
                sink.binary(
                        (byte) (StrictJson.hex(in[from]) << 4 | StrictJson.hex(in[from + 1])),
                        Base64.getDecoder().decode(base64));
            } catch (IllegalArgumentException _) {
                throw new NotStrict();
            }
        }

        /// Moves over exactly this name and a colon.
        private void name(String expected, byte first) {
            if (!string(first).equals(expected)) {
                throw new NotStrict();
            }
            StrictJson.require(text.nextToken(), ':');
        }

        private String string(byte first) {
            int from = text.position();
            return ascii(from, skipString(first));
        }

        /// Skips a string without escapes and returns the index of its closing quote.
        ///
        /// @param first must be the opening quote; the position is after it
        private int skipString(byte first) {
            StrictJson.require(first, '"');
            int end = Utf8.plainEnd(in, text.position(), in.length);
            StrictJson.require(end < in.length ? in[end] : (byte) 0, '"');
            text.moveTo(end + 1);
            return end;
        }

        private String ascii(int from, int to) {
            return new String(in, from, to - from, StandardCharsets.ISO_8859_1);
        }
    }

    /// Numbers as RFC 8259 has them: without point or exponent an int32 or int64 by size, with one of them a
    /// double.
    private static final class StrictNumber {
        /// The powers of ten that a double holds exactly.
        private static final double[] POWERS = {
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
            1e19, 1e20, 1e21, 1e22
        };

        /// Up to here a double holds every integer.
        private static final long EXACT = 1L << 53;

        /// So many decimal digits always fit into a long.
        private static final int SAFE_DIGITS = 18;

        private StrictNumber() {}

        /// @return the index after it
        /// @throws NotStrict if there is no such number, or an integer beyond int64
        static int read(byte[] in, int start, BsonSink sink) {
            int i = start;
            boolean negative = i < in.length && in[i] == '-';
            if (negative) {
                i++;
            }
            int first = i;
            long digits = 0;
            while (isDigit(in, i)) {
                digits = digits * 10 + in[i++] - '0';
            }
            if (i == first || (in[first] == '0' && i - first > 1)) {
                throw new NotStrict();
            }
            if (i < in.length && (in[i] == '.' || in[i] == 'e' || in[i] == 'E')) {
                return real(in, start, first, i, digits, sink);
            }
            LongDigits.requireFew(i - first);
            sink.integer(i - first > SAFE_DIGITS ? long19(in, start, i) : negative ? -digits : digits);
            return i;
        }

        /// The integer in exactly these bytes.
        ///
        /// @throws NotStrict if there is no such number, or one beyond int64
        static long int64(byte[] in, int from, int to) {
            boolean negative = from < to && in[from] == '-';
            int first = negative ? from + 1 : from;
            long digits = 0;
            int i = first;
            while (i < to && isDigit(in, i)) {
                digits = digits * 10 + in[i++] - '0';
            }
            if (i == first || i < to || (in[first] == '0' && i - first > 1)) {
                throw new NotStrict();
            }
            return i - first > SAFE_DIGITS ? long19(in, from, to) : negative ? -digits : digits;
        }

        private static long long19(byte[] in, int from, int to) {
            try {
                return Long.parseLong(ascii(in, from, to));
            } catch (NumberFormatException _) {
                throw new NotStrict();
            }
        }

        /// @param point where the point or the exponent begins
        /// @param digits the number before it
        private static int real(byte[] in, int start, int first, int point, long digits, BsonSink sink) {
            int i = point;
            int scale = 0;
            if (in[i] == '.') {
                i++;
                while (isDigit(in, i)) {
                    digits = digits * 10 + in[i++] - '0';
                }
                scale = i - point - 1;
                if (scale == 0) {
                    throw new NotStrict();
                }
            }
            LongDigits.requireFew(i - first - Integer.signum(scale));
            boolean allDigits = i - first <= SAFE_DIGITS;
            int exponent = -scale;
            if (i < in.length && (in[i] == 'e' || in[i] == 'E')) {
                int from = i + 1;
                i = exponentEnd(in, from);
                if (i - from > 4) {
                    LongDigits.requireFew(i - from);
                    allDigits = false;
                } else {
                    exponent += Integer.parseInt(ascii(in, from, i));
                }
            }
            sink.float64(
                    allDigits && digits <= EXACT && exponent >= -22 && exponent <= 22
                            ? toDouble(digits, exponent, start < first)
                            : Double.parseDouble(ascii(in, start, i)));
            return i;
        }

        private static int exponentEnd(byte[] in, int from) {
            int i = from;
            if (i < in.length && (in[i] == '-' || in[i] == '+')) {
                i++;
            }
            if (!isDigit(in, i)) {
                throw new NotStrict();
            }
            while (isDigit(in, i)) {
                i++;
            }
            return i;
        }

        /// Exact, since one operation on two exact numbers is correctly rounded. Covers most numbers in real
        /// data.
        private static double toDouble(long digits, int exponent, boolean negative) {
            double value = exponent < 0 ? digits / POWERS[-exponent] : digits * POWERS[exponent];
            return negative ? -value : value;
        }

        private static boolean isDigit(byte[] in, int i) {
            return i < in.length && in[i] >= '0' && in[i] <= '9';
        }

        private static String ascii(byte[] in, int from, int to) {
            return new String(in, from, to - from, StandardCharsets.ISO_8859_1);
        }
    }
}
