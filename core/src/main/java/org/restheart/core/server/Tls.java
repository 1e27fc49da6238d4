package org.restheart.core.server;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.restheart.core.config.ListenerConfig.TlsKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.Sequence;

/// TLS of the `https-listener`: a certificate from a keystore or PEM files, no client certificates, and at least
/// TLS 1.2. Uses what the files have as soon as they change. Thread-safe; close it to end its thread.
final class Tls implements AutoCloseable {
    static final OptionMap OPTIONS = OptionMap.create(Options.SSL_ENABLED_PROTOCOLS, Sequence.of("TLSv1.3", "TLSv1.2"));

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

    private final WatchedFiles files;
    private volatile TlsKeys keys;
    private volatile Identity used;
    private volatile boolean isCurrent = true;

    static {
        // Each renegotiation of TLS 1.2 costs a signature, on a connection that no limit sees any more. Read
        // once by the JDK, before the first handshake.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private record Identity(SSLContext context, Instant expiry) {}

    /// @throws StartException naming the key to correct
    Tls(TlsKeys keys) {
        this.keys = keys;
        this.files = new WatchedFiles("certificate", () -> files(this.keys), this::renew);
        files.markSeen(); // before they are read
        this.used = load(keys);
        files.start();
    }

    static void check(TlsKeys keys) {
        load(keys);
    }

    SSLContext context() {
        return used.context;
    }

    Instant expiry() {
        return used.expiry;
    }

    boolean isCurrent() {
        return isCurrent;
    }

    /// Uses other files, or the same anew.
    ///
    /// @throws StartException if they cannot be used; what was there before is kept
    synchronized void use(TlsKeys changed) {
        used = load(changed);
        keys = changed; // their files are seen for the first time at the next look
        isCurrent = true;
    }

    /// A certificate may be written before its key: what cannot be used now is tried when it changes again.
    private synchronized boolean renew() {
        try {
            use(keys);
            LOG.info("https-listener: the certificate has changed and is used; it ends at {}", used.expiry);
        } catch (StartException e) {
            isCurrent = false;
            LOG.error("The certificate has changed and cannot be used, the one before is kept: {}", e.getMessage());
        }
        return true;
    }

    private static List<Path> files(TlsKeys keys) {
        return keys.files().stream().map(Path::of).toList();
    }

    private static Identity load(TlsKeys keys) {
        return switch (keys) {
            case TlsKeys.Keystore keystore -> keystore(keystore);
            case TlsKeys.PemFiles pem -> pem(pem);
        };
    }

    private static Identity pem(TlsKeys.PemFiles pem) {
        try {
            return identity(Pem.identity(Path.of(pem.certificate()), Path.of(pem.privateKey())), Pem.PASSWORD);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new StartException(
                    "https-listener: cannot use " + pem.certificate() + " with the key in " + pem.privateKey()
                            + "; check certificate-file and private-key-file: " + e.getMessage(),
                    e);
        }
    }

    private static Identity keystore(TlsKeys.Keystore keys) {
        try {
            var store =
                    KeyStore.getInstance(new File(keys.path()), keys.password().toCharArray());
            return identity(store, keys.keyPassword());
        } catch (IOException | KeyStoreException e) {
            throw new StartException(
                    "https-listener: cannot open the keystore " + keys.path()
                            + (isPem(keys.path())
                                    ? ", a PEM file; name it in certificate-file, and its key in private-key-file"
                                    : "; check keystore-path and keystore-password: " + e.getMessage()),
                    e);
        } catch (GeneralSecurityException e) {
            throw new StartException(
                    "https-listener: cannot use the key in " + keys.path() + "; check certificate-password: "
                            + e.getMessage(),
                    e);
        }
    }

    private static Identity identity(KeyStore store, String keyPassword) throws GeneralSecurityException {
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, keyPassword.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        var ends = new ArrayList<>(List.of(Instant.MAX));
        for (var alias : Collections.list(store.aliases())) {
            if (store.isKeyEntry(alias)) {
                for (var certificate : store.getCertificateChain(alias)) {
                    ends.add(((X509Certificate) certificate).getNotAfter().toInstant());
                }
            }
        }
        return new Identity(context, Collections.min(ends));
    }

    private static boolean isPem(String path) {
        try (var content = new FileInputStream(path)) {
            return new String(content.readNBytes(10), StandardCharsets.US_ASCII).equals("-----BEGIN");
        } catch (IOException _) {
            return false;
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
