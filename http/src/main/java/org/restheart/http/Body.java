package org.restheart.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.bson.BsonDocument;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;

/// The content of a request, bounded by the server's limits. It can be read repeatedly, unless the service reads it
/// while it arrives ([Service#streamsContent(Request)]): then it can be read once. Confined to one request.
public interface Body {
    Body EMPTY = of(new byte[0]);

    /// Whether there are more bytes than a number. The length of content is not always known before it has arrived:
    /// then this waits until so many have arrived, and receives no more, so that a service can refuse content
    /// that is longer than it takes. True if the length is unknown and a service reads it while it arrives.
    default boolean isLongerThan(long most) {
        return bytes().length > most;
    }

    /// The whole content in memory. The array must not be changed. Blocks while content is still arriving, so
    /// it may call [Request#requireThread()].
    ///
    /// @throws ProblemException 400 if the client has disconnected or the content cannot be decoded, 408 if it
    ///     arrives too slowly, 413 if it is too large, 503 if the server has no memory for it
    byte[] bytes();

    /// The content from its beginning. The caller closes the stream, whose methods throw what [#bytes()]
    /// throws.
    default InputStream stream() throws IOException {
        return new ByteArrayInputStream(bytes());
    }

    /// The content as a JSON object, which cannot be changed.
    ///
    /// @param most bytes
    /// @throws ProblemException 400 if it is no such object, 413 if it is longer; also as [#bytes()]
    default BsonDocument json(int most) {
        if (isLongerThan(most)) {
            throw new ProblemException(ProblemCode.CONTENT_TOO_LARGE, "more than " + most + " bytes");
        }
        try {
            return JsonParser.parseDocument(bytes());
        } catch (MalformedJsonException e) {
            throw new ProblemException(
                    ProblemCode.CONTENT_INVALID, "the content must be a JSON object: " + e.getMessage());
        }
    }

    default boolean isEmpty() {
        return !isLongerThan(0);
    }

    /// Whether the head of the request says that there is no content, so that nothing has to be waited for.
    @SuppressWarnings("ReferenceEquality") // requests without content share one object
    default boolean isAbsent() {
        return this == EMPTY;
    }

    /// Counts the memory of objects that are made of the content and kept until the request ends, for its caller.
    ///
    /// @throws ProblemException 503 if the caller holds too much already
    default void hold(long bytes) {}

    /// As [#hold], but for trees of objects: the only request of a caller is not spared what it could not hold.
    ///
    /// @throws ProblemException also 413 if they are more than any request may have
    default void holdTrees(long bytes) {}

    /// Content in memory, whose objects are charged to no caller.
    ///
    /// @param content not copied
    static Body of(byte[] content) {
        return () -> content;
    }
}
