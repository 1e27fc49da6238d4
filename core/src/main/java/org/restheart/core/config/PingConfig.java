package org.restheart.core.config;

/// `ping`.
///
/// @param message of the answer
/// @param extended whether the response also contains the client's address, the host, the version and the build time
public record PingConfig(Endpoint endpoint, String message, boolean extended) {
    static PingConfig read(Block block) {
        return new PingConfig(
                Endpoint.read(block, new Endpoint(true, "/ping", false)),
                block.text("msg", "Greetings from RESTHeart!"),
                block.bool("enable-extended-response", true));
    }
}
