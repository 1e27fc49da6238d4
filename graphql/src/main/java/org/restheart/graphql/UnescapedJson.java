package org.restheart.graphql;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.restheart.http.Content;

/// Undoes [org.restheart.mongo.metadata.EscapedKeys] in JSON that has no blanks between keys and their colons. Confined
/// to one thread.
final class UnescapedJson {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /// The last text with its quotes; what follows it tells whether it is a key.
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    private boolean inText;
    private boolean escaped;

    private UnescapedJson() {}

    /// @param json complete; its position is not changed
    static ByteBuffer of(ByteBuffer json) {
        var unescaped = new UnescapedJson();
        unescaped.convert(json.duplicate());
        unescaped.end();
        return unescaped.take();
    }

    /// JSON that is converted while it is sent.
    static Content.Source of(Content.Source json) {
        return new Pieces(json);
    }

    private static final class Pieces implements Content.Source {
        private final Content.Source json;
        private final UnescapedJson unescaped = new UnescapedJson();
        private boolean ended;

        Pieces(Content.Source json) {
            this.json = json;
        }

        @Override
        public ByteBuffer next() throws Exception {
            while (!ended && unescaped.out.size() == 0) {
                var piece = json.next();
                ended = !piece.hasRemaining();
                unescaped.convert(piece);
                if (ended) {
                    unescaped.end();
                }
            }
            return unescaped.take();
        }

        @Override
        public void close() {
            json.close();
        }
    }

    private void convert(ByteBuffer json) {
        while (json.hasRemaining()) {
            convert(json.get());
        }
    }

    private void convert(byte b) {
        if (inText) {
            text.write(b);
            inText = escaped || b != '"';
            escaped = !escaped && b == '\\';
            return;
        }
        writeText(b == ':');
        if (b == '"') {
            inText = true;
            text.write(b);
        } else {
            out.write(b);
        }
    }

    private void end() {
        writeText(false);
    }

    private void writeText(boolean isKey) {
        if (text.size() == 0) {
            return;
        }
        var bytes = text.toByteArray();
        text.reset();
        for (int i = 0; i < bytes.length; i++) {
            byte next = i + 1 < bytes.length ? bytes[i + 1] : 0;
            if (isKey && bytes[i] == ':' && next == ':') {
                out.write('.');
                i++;
            } else if (i != 1 || bytes[i] != '_' || next != '$') {
                out.write(bytes[i]);
            }
        }
    }

    private ByteBuffer take() {
        var taken = ByteBuffer.wrap(out.toByteArray());
        out.reset();
        return taken;
    }
}
