package org.restheart.core.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.restheart.http.Connection;

/// `http-listener`, and what `https-listener` shares with it.
///
/// @param host name or address to bind to; `0.0.0.0` for all
/// @param port 0 picks a free one
public record ListenerConfig(boolean enabled, String host, int port) {
    /// `https-listener`.
    ///
    /// @param keys present whenever the listener is enabled
    public record Tls(ListenerConfig listener, Optional<Keystore> keys) {
        public boolean enabled() {
            return listener.enabled();
        }
    }

    /// Where a TLS certificate and its private key are.
    ///
    /// @param path of a PKCS12 or JKS file
    /// @param password of the store
    /// @param keyPassword of the private key
    public record Keystore(String path, String password, String keyPassword) {
        @Override
        public String toString() {
            return "Keystore[" + path + "]";
        }
    }

    /// Whether the name says that it is bound to loopback.
    public boolean isLoopback() {
        return Connection.isLoopback(host);
    }

    /// `management-listener`.
    static ListenerConfig readManagement(Block block) {
        var listener = read(block);
        if (listener.enabled && !listener.isLoopback()) {
            block.advise("host", "is " + listener.host + ": who reaches it reads metrics without an account");
        }
        return listener;
    }

    static ListenerConfig read(Block block) {
        var host = block.text("host");
        if (host.matches("[^:\\[\\]]+:\\d+")) {
            block.refuse("host", "has a port, which is a key of its own: " + host);
        }
        return new ListenerConfig(block.bool("enabled"), host, block.integer("port"));
    }

    static Tls readTls(Block block) {
        var listener = read(block);
        var path = block.optionalText("keystore-path");
        var password = block.optionalText("keystore-password");
        var keyPassword = block.optionalText("certificate-password");
        if (path.isPresent() && password.isPresent() && keyPassword.isPresent()) {
            if (listener.enabled && !Files.isReadable(Path.of(path.get()))) {
                block.refuse("keystore-path", "names no file that can be read: " + path.get());
            }
            return new Tls(listener, Optional.of(new Keystore(path.get(), password.get(), keyPassword.get())));
        }
        if (listener.enabled) {
            block.refuse(
                    "enabled",
                    "is true, which needs keystore-path, keystore-password and certificate-password as well");
        }
        return new Tls(listener, Optional.empty());
    }
}
