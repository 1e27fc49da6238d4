package org.restheart.core.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.restheart.testkit.Shell;

/// A certificate of `localhost` that is valid for a day, for both sides of a connection.
///
/// @param file PKCS #12, with the password `changeit`
public record TestKeystore(File file) {
    /// The same for all tests of this process.
    public static TestKeystore shared() {
        return Shared.KEYSTORE;
    }

    private static final class Shared {
        private static final TestKeystore KEYSTORE = made();

        private static TestKeystore made() {
            try {
                var directory = Files.createTempDirectory("keystore").toFile();
                directory.deleteOnExit();
                var file = new File(directory, "test.p12");
                file.deleteOnExit();
                var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
                Shell.run(
                        Path.of("."),
                        keytool + " -genkeypair -alias test -keyalg EC -validity 1 -dname CN=localhost"
                                + " -ext san=dns:localhost -storetype PKCS12 -storepass changeit -keystore " + file);
                return new TestKeystore(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
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
