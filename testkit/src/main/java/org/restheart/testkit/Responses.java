package org.restheart.testkit;

import java.net.http.HttpResponse;
import org.bson.BsonDocument;

/// What tests look up in responses.
public final class Responses {
    private Responses() {}

    /// The content as a document.
    public static BsonDocument json(HttpResponse<String> response) {
        return BsonDocument.parse(response.body());
    }

    /// The first field of that name.
    ///
    /// @throws AssertionError if there is none
    public static String header(HttpResponse<?> response, String name) {
        return response.headers()
                .firstValue(name)
                .orElseThrow(() -> new AssertionError("no " + name + ": " + response + " " + response.body()));
    }

    /// The last segment of `Location`: the name of what was created.
    public static String createdId(HttpResponse<?> response) {
        var location = header(response, "Location");
        return location.substring(location.lastIndexOf('/') + 1);
    }
}
