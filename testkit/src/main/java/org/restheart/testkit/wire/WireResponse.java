package org.restheart.testkit.wire;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.restheart.testkit.wire.WireRequest.Header;

/// What the server answered. Immutable.
///
/// @param headers in the order in which they came
/// @param body without its transfer coding; a content coding such as gzip is left alone
@SuppressWarnings("ArrayRecordComponent") // messages are sent and read, never compared
public record WireResponse(int status, List<Header> headers, byte[] body) {

    /// The values of all headers of that name, joined with a comma.
    public Optional<String> header(String name) {
        var values = headers.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(Header::value)
                .toList();
        return values.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", values));
    }

    /// The body read as UTF-8.
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /// Status, headers and body as they would be seen in a terminal.
    @Override
    public String toString() {
        return headers.stream()
                .map(header -> header.name() + ": " + header.value())
                .collect(Collectors.joining("\n", status + "\n", "\n\n" + text()));
    }
}
