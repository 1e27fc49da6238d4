package org.restheart.core.server;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.restheart.core.config.ListenerConfig.Keystore;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.Sequence;

/// TLS of the `https-listener`: a certificate from a keystore, no client certificates, and at least TLS 1.2.
final class Tls {
    static final OptionMap OPTIONS = OptionMap.create(Options.SSL_ENABLED_PROTOCOLS, Sequence.of("TLSv1.3", "TLSv1.2"));

    static {
        // Each renegotiation of TLS 1.2 costs a signature, on a connection that no limit sees any more. Read
        // once by the JDK, before the first handshake.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private Tls() {}

    private static boolean isPem(String path) {
        try (var content = new FileInputStream(path)) {
            return new String(content.readNBytes(10), StandardCharsets.US_ASCII).equals("-----BEGIN");
        } catch (IOException _) {
            return false;
        }
    }

    /// @throws StartException naming the key to correct
    static SSLContext context(Keystore keys) {
        try {
            var store =
                    KeyStore.getInstance(new File(keys.path()), keys.password().toCharArray());
            var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, keys.keyPassword().toCharArray());
            var context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (IOException | KeyStoreException e) {
            throw new StartException(
                    "https-listener: cannot open the keystore " + keys.path()
                            + (isPem(keys.path())
                                    ? ", a PEM file; make a keystore of it with: openssl pkcs12 -export -in "
                                            + keys.path() + " -inkey KEY -out keystore.p12"
                                    : "; check keystore-path and keystore-password: " + e.getMessage()),
                    e);
        } catch (GeneralSecurityException e) {
            throw new StartException(
                    "https-listener: cannot use the key in " + keys.path() + "; check certificate-password: "
                            + e.getMessage(),
                    e);
        }
    }
}
