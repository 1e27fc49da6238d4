package org.restheart.http;

/// Responses of type `text/event-stream` (HTML, 9.2).
public final class EventStream {
    private static final String MEDIA_TYPE = "text/event-stream";

    private EventStream() {}

    /// Whether the client names the type; a range such as `*/*` does not.
    public static boolean isAccepted(Headers headers) {
        return Accepted.of(headers).named(MEDIA_TYPE) > 0;
    }

    /// A response without content and type. Proxies neither keep it nor collect its events before they pass them on,
    /// which nginx does unless the response says no.
    public static Response.Ready head() {
        return Response.status(200).with("Cache-Control", "no-store").with("X-Accel-Buffering", "no");
    }
}
