package org.restheart.core.transfer;

/// Counts the documents in a stream of bytes: lines, rows of CSV after the header, or BSON documents by their length
/// prefixes. Confined to one thread.
final class DocumentCounter {
    private final FileFormat format;
    private long position;
    private long documents;
    private long begin;
    private long lastBegin;
    private long length;
    private boolean quoted;

    DocumentCounter(FileFormat format) {
        this.format = format;
    }

    void add(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            position++;
            if (ends(bytes[i])) {
                lastBegin = begin;
                begin = position;
                length = 0;
                documents++;
            }
        }
    }

    private boolean ends(byte next) {
        return switch (format) {
            case BSON -> endsBson(next);
            case CSV -> endsRow(next);
            case NDJSON, JSON -> next == '\n';
        };
    }

    private boolean endsRow(byte next) {
        quoted ^= next == '"'; // one within a cell is doubled
        return next == '\n' && !quoted;
    }

    private boolean endsBson(byte next) {
        long at = position - begin; // from 1
        if (at <= Integer.BYTES) {
            length |= (next & 0xffL) << (8 * (at - 1));
        }
        return at > Integer.BYTES && at >= length;
    }

    long documents() {
        return format == FileFormat.CSV ? Math.max(0, documents - 1) : documents;
    }

    /// The offset after the last complete document, in bytes.
    long end() {
        return begin;
    }

    /// The offset of the last complete document, in bytes.
    long lastBegin() {
        return lastBegin;
    }

    /// Called when the bytes after the last complete document have been removed.
    void truncated() {
        position = begin;
        length = 0;
    }

    void reset() {
        position = 0;
        documents = 0;
        begin = 0;
        lastBegin = 0;
        length = 0;
        quoted = false;
    }
}
