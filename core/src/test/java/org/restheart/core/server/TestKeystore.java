package org.restheart.core.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
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
        private static final TestKeystore KEYSTORE = made("EC");
    }

    /// Another one.
    ///
    /// @param algorithm of its key: `EC` or `RSA`
    static TestKeystore made(String algorithm) {
        try {
            var directory = Files.createTempDirectory("keystore").toFile();
            directory.deleteOnExit();
            var file = new File(directory, "test.p12");
            file.deleteOnExit();
            var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
            Shell.run(
                    Path.of("."),
                    keytool + " -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC"
                            + " -genkeypair -alias test -keyalg " + algorithm + " -validity 1 -dname CN=localhost"
                            + " -ext san=dns:localhost -storetype PKCS12 -storepass changeit -keystore " + file);
            return new TestKeystore(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Writes `cert.pem` and `key.pem` into a folder.
    ///
    /// @param form what stands in the first line of the key: that of PKCS #8, PKCS #1 or SEC 1
    /// @return the block `https-listener`, on a free port
    String pem(Path folder, String form) throws IOException, GeneralSecurityException {
        var password = "changeit".toCharArray();
        var store = KeyStore.getInstance(file, password);
        var key = store.getKey("test", password).getEncoded();
        Files.writeString(
                folder.resolve("cert.pem"),
                pem("CERTIFICATE", store.getCertificate("test").getEncoded()));
        Files.writeString(
                folder.resolve("key.pem"), pem(form, form.equals("PRIVATE KEY") ? key : withoutAlgorithm(key)));
        return "{enabled: true, host: localhost, port: 0, certificate-file: '" + folder.resolve("cert.pem")
                + "', private-key-file: '" + folder.resolve("key.pem") + "'}";
    }

    private static String pem(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + label
                + "-----\n";
    }

    /// What is in the last of the three elements of PKCS #8.
    private static byte[] withoutAlgorithm(byte[] pkcs8) {
        var der = ByteBuffer.wrap(pkcs8);
        enter(der);
        for (int skipped = 0; skipped < 2; skipped++) {
            int length = enter(der);
            der.position(der.position() + length);
        }
        var key = new byte[enter(der)];
        der.get(key);
        return key;
    }

    /// The length of the next element, whose content is read next.
    private static int enter(ByteBuffer der) {
        der.get();
        int length = der.get();
        if (length >= 0) {
            return length;
        }
        int number = 0;
        for (int digits = length & 0x7f; digits > 0; digits--) {
            number = (number << 8) | (der.get() & 0xff);
        }
        return number;
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
