package org.restheart.core.filter;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/// Indents JSON text that arrives in pieces. Changes only white space between tokens. Confined to one response.
final class JsonLayout {
    /// Deeper levels are not indented further, so that deep nesting cannot multiply the size of the content.
    private static final int MAX_DEPTH = 16;

    private final ByteArrayOutputStream out;
    private int depth;
    private boolean inString;
    private boolean escaped;
    private boolean opened;
    private boolean space;
    private boolean any;
    private int last;

    JsonLayout(ByteArrayOutputStream out) {
        this.out = out;
    }

    void write(ByteBuffer json) {
        while (json.hasRemaining()) {
            next(json.get());
        }
    }

    /// To be called once, behind the whole text.
    void end() {
        if (any) {
            out.write('\n');
        }
    }

    private void next(byte c) {
        if (inString) {
            out.write(c);
            inString = escaped || c != '"';
            escaped = !escaped && c == '\\';
            return;
        }
        switch (c) {
            case ' ', '\n', '\r', '\t' -> space = true;
            case '}', ']' -> close(c);
            case '{', '[' -> {
                begin();
                put(c);
                depth++;
                opened = true;
            }
            case ',' -> {
                put(c);
                line();
            }
            case ':' -> {
                put(c);
                out.write(' ');
            }
            default -> {
                begin();
                put(c);
                inString = c == '"';
            }
        }
    }

    /// Before a value or a name.
    private void begin() {
        if (opened) {
            opened = false;
            line();
        } else if (space && last != ',' && last != ':' && any) { // within `new Date(1)`
            out.write(' ');
        }
        space = false;
    }

    private void close(byte bracket) {
        depth--;
        if (opened) {
            opened = false;
        } else {
            line();
        }
        put(bracket);
    }

    private void put(byte c) {
        out.write(c);
        last = c;
        any = true;
        space = false;
    }

    private void line() {
        out.write('\n');
        for (int i = 0; i < Math.min(depth, MAX_DEPTH); i++) {
            out.write(' ');
            out.write(' ');
        }
        space = false;
    }
}
