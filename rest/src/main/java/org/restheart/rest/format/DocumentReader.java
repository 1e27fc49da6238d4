package org.restheart.rest.format;

import java.io.IOException;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;

/// Reads the documents of content one after the other, in memory of the longest one's size. Confined to one thread.
public interface DocumentReader {
    /// The longest text or BSON of a document, in bytes.
    int MAX_LENGTH = 16 << 20;

    /// The next document; null at the end.
    ///
    /// @throws org.restheart.http.ProblemException 400 if no later document can be found
    @Nullable
    Entry next() throws IOException;

    sealed interface Entry {
        /// From 1: of the line, or of the document in formats without lines.
        long number();

        /// @param value not necessarily a document
        record Parsed(long number, BsonValue value) implements Entry {}

        /// Others follow.
        record Malformed(long number, Problem problem) implements Entry {}
    }
}
