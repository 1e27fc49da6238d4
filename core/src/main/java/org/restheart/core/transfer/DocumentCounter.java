package org.restheart.core.transfer;

/// Counts the documents in a stream of bytes: lines, or BSON documents by their length prefixes. Confined to
/// one thread.
final class DocumentCounter {
    private final boolean bson;
    private long position;
    private long documents;
    private long begin;
    private long lastBegin;
    private long length;

    DocumentCounter(FileFormat format) {
        this.bson = format == FileFormat.BSON;
    }

    void add(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            position++;
            if (bson ? endsBson(bytes[i]) : bytes[i] == '\n') {
                lastBegin = begin;
                begin = position;
                length = 0;
                documents++;
            }
        }
    }

    private boolean endsBson(byte next) {
        long at = position - begin; // from 1
        if (at <= Integer.BYTES) {
            length |= (next & 0xffL) << (8 * (at - 1));
        }
        return at > Integer.BYTES && at >= length;
    }

    long documents() {
        return documents;
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
    }
}
