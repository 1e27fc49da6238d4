package org.restheart.core.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.restheart.http.Connection;

/// `http-listener`, and what `https-listener` shares with it.
public record ListenerConfig(String name, boolean enabled, String host, int port, boolean proxyProtocol) {
    /// `https-listener`.
    ///
    /// @param keys present whenever the listener is enabled
    public record Tls(ListenerConfig listener, Optional<TlsKeys> keys) {
        public boolean enabled() {
            return listener.enabled();
        }
    }

    /// Where a TLS certificate and its private key are.
    public sealed interface TlsKeys {
        /// The paths of all files.
        List<String> files();

        record Keystore(String path, String password, String keyPassword) implements TlsKeys {
            @Override
            public List<String> files() {
                return List.of(path);
            }

            @Override
            public String toString() {
                return "Keystore[" + path + "]";
            }
        }

        record PemFiles(String certificate, String privateKey) implements TlsKeys {
            @Override
            public List<String> files() {
                return List.of(certificate, privateKey);
            }
        }
    }

    /// Whether the name says that it is bound to loopback.
    public boolean isLoopback() {
        return Connection.isLoopback(host);
    }

    /// `management-listener`.
    static ListenerConfig readManagement(Block block) {
        var listener = read(block, false);
        if (listener.enabled && !listener.isLoopback()) {
            block.advise("host", "is " + listener.host + ": who reaches it reads metrics without an account");
        }
        return listener;
    }

    static ListenerConfig read(Block block) {
        return read(block, true);
    }

    private static ListenerConfig read(Block block, boolean mayBeProxied) {
        var host = block.text("host");
        if (host.matches("[^:\\[\\]]+:\\d+")) {
            block.refuse("host", "has a port, which is a key of its own: " + host);
        }
        return new ListenerConfig(
                block.path().substring(1),
                block.bool("enabled"),
                host,
                block.integer("port"),
                mayBeProxied && block.bool("proxy-protocol"));
    }

    static Tls readTls(Block block) {
        var listener = read(block);
        var keys = pemFiles(block).or(() -> keystore(block));
        if (listener.enabled && keys.isEmpty()) {
            block.refuse(
                    "enabled",
                    "is true, which needs certificate-file and private-key-file, or keystore-path, keystore-password"
                            + " and certificate-password");
        }
        if (listener.enabled && keys.isPresent()) {
            requireReadable(block, "certificate-file");
            requireReadable(block, "private-key-file");
            requireReadable(block, "keystore-path");
        }
        return new Tls(listener, keys);
    }

    private static Optional<TlsKeys> pemFiles(Block block) {
        var certificate = block.optionalText("certificate-file");
        var privateKey = block.optionalText("private-key-file");
        if (certificate.isPresent() != privateKey.isPresent()) {
            block.refuse(
                    certificate.isPresent() ? "certificate-file" : "private-key-file",
                    "needs " + (certificate.isPresent() ? "private-key-file" : "certificate-file") + " as well");
        }
        if (certificate.isPresent() && block.optionalText("keystore-path").isPresent()) {
            block.refuse("certificate-file", "and keystore-path are set: which of them has the certificate?");
        }
        return certificate.flatMap(file -> privateKey.map(key -> new TlsKeys.PemFiles(file, key)));
    }

    private static Optional<TlsKeys> keystore(Block block) {
        var password = block.optionalText("keystore-password");
        var keyPassword = block.optionalText("certificate-password");
        return block.optionalText("keystore-path")
                .filter(_ -> password.isPresent() && keyPassword.isPresent())
                .map(path -> new TlsKeys.Keystore(path, password.orElseThrow(), keyPassword.orElseThrow()));
    }

    private static void requireReadable(Block block, String key) {
        block.optionalText(key)
                .filter(file -> !Files.isReadable(Path.of(file)))
                .ifPresent(file -> block.refuse(key, "names no file that can be read: " + file));
    }
}
