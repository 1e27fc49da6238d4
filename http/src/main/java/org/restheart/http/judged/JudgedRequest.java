package org.restheart.http.judged;

import org.restheart.bson.JsonMode;
import org.restheart.http.Body;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.attribute.Key;

/// A request of the REST API that performs an operation of another service. Immutable.
///
/// @param headers of the operation itself, such as `Content-Type` or `If-Match`; all others come from the client's
///     request
/// @param options attributes that clients of the REST API cannot set, by keys that the handlers read
public record JudgedRequest(
        Method method, RequestPath path, Query query, Fields headers, Body body, Via via, Attributes options) {

    /// How documents are written, in place of the parameter `jsonMode`.
    public static final Key<JsonMode> JSON_MODE = Key.named("JSON mode");

    public static JudgedRequest of(Method method, RequestPath path, Query query, Via via) {
        return new JudgedRequest(method, path, query, Fields.NONE, Body.EMPTY, via, Attributes.NONE);
    }

    /// @param json the content
    public JudgedRequest withContent(byte[] json) {
        return new JudgedRequest(
                method, path, query, headers.with("Content-Type", Response.JSON), Body.of(json), via, options);
    }

    public JudgedRequest withHeader(String name, String value) {
        return new JudgedRequest(method, path, query, headers.with(name, value), body, via, options);
    }

    public <T> JudgedRequest with(Key<T> option, T value) {
        return new JudgedRequest(method, path, query, headers, body, via, options.with(option, value));
    }
}
