package org.restheart.core.server;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A certificate of `localhost` that is valid for a day, for both sides of a connection.
///
/// @param file PKCS #12, with the password `changeit`
public record TestKeystore(File file) {
    public static TestKeystore in(Path directory) throws IOException, InterruptedException {
        var file = directory.resolve("test.p12").toFile();
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        var process = new ProcessBuilder((keytool
                                + " -genkeypair -alias test -keyalg EC -validity 1 -dname CN=localhost"
                                + " -ext san=dns:localhost -storetype PKCS12 -storepass changeit -keystore")
                        .split(" ", -1))
                .redirectErrorStream(true);
        process.command().add(file.getPath());
        var running = process.start();
        var output = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (running.waitFor() != 0) {
            throw new IOException("keytool: " + output);
        }
        return new TestKeystore(file);
    }

    /// The block `https-listener`, on a free port.
    String listener(String password) {
        return listener(0, password);
    }

    public String listener(int port, String password) {
        return "{enabled: true, host: localhost, port: " + port + ", keystore-path: '" + file + "', keystore-password: "
                + password + ", certificate-password: changeit}";
    }

    /// Of a client that trusts the certificate.
    public SSLContext context() throws IOException, GeneralSecurityException {
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(KeyStore.getInstance(file, "changeit".toCharArray()));
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
