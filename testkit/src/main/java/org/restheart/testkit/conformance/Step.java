package org.restheart.testkit.conformance;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A request and what is expected of its answer; variables such as `${db}` are not replaced yet. Immutable.
///
/// @param user the caller; empty for an anonymous request
/// @param request method and target
/// @param headers a null value removes a default header
/// @param body empty for none
/// @param capture variables for later steps: a header's name, or a JSON pointer into the body
record Step(
        Optional<String> user,
        String request,
        Map<String, @Nullable String> headers,
        Optional<RequestBody> body,
        Expectation expect,
        Map<String, String> capture) {

    /// @param content as it is sent
    /// @param contentType unless the case names one
    record RequestBody(String content, String contentType) {}

    /// @param headers a null value: must be absent; `<~regex>` or `<any>`; else exactly this
    /// @param body the JSON value, with matchers; empty when it does not matter
    /// @param text the whole body as text or as `<~regex>`; empty when it does not matter
    record Expectation(
            int status, Map<String, @Nullable String> headers, Optional<JsonNode> body, Optional<String> text) {}
}
