package org.restheart.core.filter;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.restheart.http.Content;
import org.restheart.http.Content.ThroughStream;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.parameter.DataParameter;

/// Indents JSON for human readers (parameter `pretty`). Long content is indented while it is sent, so that it is
/// never held in memory.
final class PrettyFilter implements Filter {
    /// Bytes that one byte is laid out to, about.
    private static final int MOST_PER_BYTE = 4;

    private static final long MOST = (long) MOST_PER_BYTE * ThroughStream.PIECE;

    @Override
    public Response filter(Request request, Handler next) {
        var response = next.handle(request);
        return isWanted(request) ? response.map(PrettyFilter::pretty) : response;
    }

    /// Not for the JSON mode of the MongoDB shell: its regular expressions may contain braces.
    private static boolean isWanted(Request request) {
        return DataParameter.PRETTY.isOn(request.query())
                && DataParameter.JSON_MODE
                        .choice(request.query())
                        .filter("shell"::equals)
                        .isEmpty();
    }

    private static Response.Ready pretty(Response.Ready response) {
        boolean isJson = response.headers()
                .first("Content-Type")
                .filter(type -> type.startsWith("application/json") || type.contains("+json"))
                .isPresent();
        boolean isFile = response.headers().has("Content-Length"); // sent as it was stored, or a range of it
        return !isJson || isFile
                ? response
                : switch (response.content()) {
                    case Content.None _, Content.Push _ -> response;
                    case Content.Bytes bytes
                    when bytes.length() <= ThroughStream.PIECE ->
                        response.with(bytes.through((long) MOST_PER_BYTE * bytes.length(), PrettyFilter::whole));
                    case Content.Bytes bytes -> response.with(bytes.streamed(MOST, PrettyFilter::streamed));
                    case Content.Streamed streamed -> response.with(streamed.through(MOST, PrettyFilter::streamed));
                };
    }

    private static ByteBuffer whole(ByteBuffer json) {
        var out = new ByteArrayOutputStream(2 * json.remaining());
        try (var layout = new JsonLayout(out)) {
            while (json.hasRemaining()) {
                layout.write(json.get());
            }
        }
        return ByteBuffer.wrap(out.toByteArray());
    }

    private static Content.Source streamed(Content.Source json) {
        return new ThroughStream(json, JsonLayout::new);
    }

    /// Indents JSON text that arrives in pieces. Changes only white space between tokens. Confined to one response.
    private static final class JsonLayout extends OutputStream {
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

        @Override
        public void close() {
            if (any) {
                out.write('\n');
            }
        }

        @Override
        public void write(int c) {
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

        private void close(int bracket) {
            depth--;
            if (opened) {
                opened = false;
            } else {
                line();
            }
            put(bracket);
        }

        private void put(int c) {
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
}
