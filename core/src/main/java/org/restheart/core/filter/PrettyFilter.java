package org.restheart.core.filter;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.restheart.http.Content;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.parameter.DataParameter;

/// Indents JSON for human readers (parameter `pretty`). Long content is indented while it is sent, so that it is
/// never held in memory.
final class PrettyFilter implements Filter {
    private static final int PIECE = 64 * 1024;

    /// Bytes that one byte is laid out to, about.
    private static final int MOST_PER_BYTE = 4;

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
                    when bytes.length() <= PIECE ->
                        response.with(bytes.through((long) MOST_PER_BYTE * bytes.length(), PrettyFilter::whole));
                    case Content.Bytes bytes -> response.with(bytes.streamed((long) MOST_PER_BYTE * PIECE, Laid::new));
                    case Content.Streamed streamed ->
                        response.with(streamed.through((long) MOST_PER_BYTE * PIECE, Laid::new));
                };
    }

    private static ByteBuffer whole(ByteBuffer json) {
        var out = new ByteArrayOutputStream(2 * json.remaining());
        var layout = new JsonLayout(out);
        layout.write(json);
        layout.end();
        return ByteBuffer.wrap(out.toByteArray());
    }

    /// Lays out a piece at a time, however much the source supplies at once.
    private static final class Laid implements Content.Source {
        private final Content.Source source;
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final JsonLayout layout = new JsonLayout(out);
        private ByteBuffer json = ByteBuffer.allocate(0);
        private boolean ended;

        Laid(Content.Source source) {
            this.source = source;
        }

        @Override
        public ByteBuffer next() throws Exception {
            while (!ended && out.size() == 0) {
                if (!json.hasRemaining()) {
                    json = source.next().duplicate();
                    ended = !json.hasRemaining();
                }
                layout.write(json.slice(json.position(), Math.min(PIECE, json.remaining())));
                json.position(json.position() + Math.min(PIECE, json.remaining()));
                if (ended) {
                    layout.end();
                }
            }
            var laid = ByteBuffer.wrap(out.toByteArray());
            out.reset();
            return laid;
        }

        @Override
        public void close() {
            source.close();
        }
    }

    /// Indents JSON text that arrives in pieces. Changes only white space between tokens. Confined to one response.
    private static final class JsonLayout {
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
}
