package org.restheart.core.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Certificates and private keys in PEM files (RFC 7468), as certbot, cert-manager and openssl write them.
public final class Pem {
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\\s]+)-----END CERTIFICATE-----");

    private static final Pattern KEY = Pattern.compile(
            "-----BEGIN ((?:RSA |EC |ENCRYPTED )?PRIVATE KEY)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");

    /// Of keystores that are never written.
    static final String PASSWORD = "in memory";

    private Pem() {}

    /// The certificates of a file, in its order; at least one. A key may be there, too.
    private static List<Certificate> certificates(Path file) throws IOException, GeneralSecurityException {
        var factory = CertificateFactory.getInstance("X.509");
        var all = new ArrayList<Certificate>();
        var found = CERTIFICATE.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        while (found.find()) {
            var der = Base64.getMimeDecoder().decode(found.group(1));
            all.add(factory.generateCertificate(new ByteArrayInputStream(der)));
        }
        if (all.isEmpty()) {
            throw new CertificateException("there is no certificate in it");
        }
        return all;
    }

    /// A keystore in memory, with [#PASSWORD], with the certificates of a file and their private key.
    ///
    /// @param key the file of the key, which may be that of the certificates
    /// @throws GeneralSecurityException saying why they cannot be used, without the key
    static KeyStore identity(Path certificates, Path key) throws IOException, GeneralSecurityException {
        var chain = certificates(certificates);
        var owner = chain.getFirst().getPublicKey();
        var privateKey = privateKey(Files.readString(key, StandardCharsets.ISO_8859_1), owner);
        requirePair(privateKey, owner);
        var store = empty();
        store.setKeyEntry("key", privateKey, PASSWORD.toCharArray(), chain.toArray(Certificate[]::new));
        return store;
    }

    private static KeyStore authorities(Path file) throws IOException, GeneralSecurityException {
        var store = empty();
        int number = 0;
        for (var authority : certificates(file)) {
            store.setCertificateEntry("authority-" + number++, authority);
        }
        return store;
    }

    /// TLS of a client.
    ///
    /// @param authorities the file of those that it trusts; those of the JDK without one
    /// @param certificate the file of its own certificate and the key
    /// @throws IOException if a file cannot be read
    /// @throws GeneralSecurityException saying why they cannot be used, without the key
    public static SSLContext client(Optional<Path> authorities, Optional<Path> certificate)
            throws IOException, GeneralSecurityException {
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(authorities.isPresent() ? authorities(authorities.get()) : null);
        var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(
                certificate.isPresent() ? identity(certificate.get(), certificate.get()) : empty(),
                PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static PrivateKey privateKey(String text, PublicKey owner) throws GeneralSecurityException {
        var found = KEY.matcher(text);
        if (!found.find()) {
            throw new GeneralSecurityException("there is no private key in it");
        }
        if (found.group(1).startsWith("ENCRYPTED")) {
            throw new GeneralSecurityException(
                    "the key is encrypted; openssl pkcs8 -topk8 -nocrypt makes one that is not");
        }
        var der = Base64.getMimeDecoder().decode(found.group(2));
        var pkcs8 = found.group(1).equals("PRIVATE KEY") ? der : wrapped(der, owner);
        return KeyFactory.getInstance(owner.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    }

    /// A key of RSA (PKCS #1) or EC (SEC 1) as PKCS #8 has it: with the algorithm before it, with which the public key
    /// begins, too.
    private static byte[] wrapped(byte[] key, PublicKey owner) {
        var info = owner.getEncoded();
        int algorithm = info[1] < 0 ? 2 + (info[1] & 0x7f) : 2; // behind the tag and the length of the whole
        var content = new ByteArrayOutputStream();
        content.writeBytes(new byte[] {0x02, 0x01, 0x00}); // version 0
        content.write(info, algorithm, 2 + info[algorithm + 1]); // which is less than 128 bytes long
        content.writeBytes(element(0x04, key));
        return element(0x30, content.toByteArray());
    }

    private static byte[] element(int tag, byte[] content) {
        var element = new ByteArrayOutputStream();
        element.writeBytes(new byte[] {(byte) tag, (byte) 0x82, (byte) (content.length >> 8), (byte) content.length});
        element.writeBytes(content);
        return element.toByteArray();
    }

    /// The JDK would find out only when a client connects.
    private static void requirePair(PrivateKey key, PublicKey owner) throws GeneralSecurityException {
        var signature = Signature.getInstance(
                switch (owner.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> owner.getAlgorithm();
                });
        signature.initSign(key);
        var signed = signature.sign();
        signature.initVerify(owner);
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("the key is not that of the first certificate");
        }
    }
}
