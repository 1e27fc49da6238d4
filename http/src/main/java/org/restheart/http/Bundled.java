package org.restheart.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;

/// Reads the files that are beside a class in its jar.
public final class Bundled {
    private Bundled() {}

    public static byte[] bytes(Class<?> beside, String name) {
        try (var in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the jar has no " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String text(Class<?> beside, String name) {
        return new String(bytes(beside, name), StandardCharsets.UTF_8);
    }

    public static BsonDocument json(Class<?> beside, String name) {
        return BsonDocument.parse(text(beside, name));
    }
}
