package org.restheart.bson;

/// Reads the most common JSON from UTF-8 bytes into a [BsonSink]: a document or an array according to RFC 8259, with
/// the usual types of Extended JSON. For every other text it throws [NotStrict], and [DriverJson] reads the text from
/// its beginning. Confined to one thread.
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
}
