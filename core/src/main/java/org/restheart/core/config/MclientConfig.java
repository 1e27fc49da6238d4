package org.restheart.core.config;

import com.mongodb.ConnectionString;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.restheart.text.Nearest;
import org.restheart.text.Words;

/// `mclient`: the MongoDB deployment to talk to.
///
/// @param connectionString a MongoDB connection string; may contain a password, so print only [#masked()]
public record MclientConfig(boolean enabled, String connectionString, Duration slowCommand) {
    private static final String KEY = "connection-string";
    private static final Pattern COMPRESSED = Pattern.compile("[?&;]compressors=([^&;]*)", Pattern.CASE_INSENSITIVE);

    /// Those of the JDK; others are in libraries of their own.
    private static final Set<String> COMPRESSORS = Set.of("zlib");

    private static final Pattern NO_RETRIES = Pattern.compile("[?&;]retryWrites=false", Pattern.CASE_INSENSITIVE);

    /// Options of connection strings that the driver knows; it ignores others.
    private static final Set<String> OPTIONS = Words.of("""
        appName authMechanism authMechanismProperties authSource compressors connectTimeoutMS directConnection
        gssapiServiceName heartbeatFrequencyMS j journal loadBalanced localThresholdMS maxConnecting maxIdleTimeMS
        maxLifeTimeMS maxPoolSize maxStalenessSeconds minPoolSize proxyHost proxyPassword proxyPort proxyUsername
        readConcernLevel readPreference readPreferenceTags replicaSet retryReads retryWrites safe
        serverMonitoringMode serverSelectionTimeoutMS socketTimeoutMS srvMaxHosts srvServiceName ssl
        sslInvalidHostNameAllowed timeoutMS tls tlsAllowInvalidHostnames tlsCAFile tlsCertificateKeyFile tlsInsecure
        uuidRepresentation w
        waitQueueTimeoutMS wTimeout wTimeoutMS zlibCompressionLevel\
        """);

    /// Reads the block, or the key `mongo-uri` of former releases.
    static MclientConfig read(Block block, Block mongo) {
        if (mongo.has("mongo-uri")) {
            mongo.advise("mongo-uri", "is read for /mclient/connection-string, which is the name of this key");
        }
        boolean former = mongo.has("mongo-uri") && !block.has(KEY);
        var uri = former ? mongo.optionalText("mongo-uri").orElse("") : block.text(KEY);
        validate(uri, former ? mongo : block, former ? "mongo-uri" : KEY);
        return new MclientConfig(
                !block.has("enabled") || block.bool("enabled"), uri, block.duration("slow-command-ms"));
    }

    private static void validate(String uri, Block block, String key) {
        if (uri.startsWith("mongodb://")) {
            try {
                var _ = new ConnectionString(uri);
            } catch (IllegalArgumentException e) {
                block.refuse(key, invalid(uri, e));
            }
        } else if (!uri.startsWith("mongodb+srv://")) { // checking that one would ask the DNS
            block.refuse(key, "must start with mongodb:// or mongodb+srv://");
        }
        COMPRESSED
                .matcher(uri)
                .results()
                .flatMap(found -> Stream.of(found.group(1).split(",", -1)))
                .filter(name -> !isAvailable(name))
                .forEach(name -> block.suspect(key, "has the compressor " + name + ", which has no effect; zlib has"));
        int mark = uri.indexOf('?', uri.lastIndexOf('@') + 1);
        for (var option : mark < 0 ? new String[0] : uri.substring(mark + 1).split("[&;]", -1)) {
            var name = option.split("=", 2)[0];
            if (!name.isEmpty() && OPTIONS.stream().noneMatch(name::equalsIgnoreCase)) {
                block.suspect(
                        key,
                        "has the option " + name + ", which is not known and has no effect"
                                + Nearest.question(name, OPTIONS));
            }
        }
    }

    /// Whether messages to MongoDB can be compressed so.
    public static boolean isAvailable(String compressor) {
        return COMPRESSORS.contains(compressor);
    }

    /// The driver's message may quote parts of a password that is not encoded.
    private static String invalid(String uri, IllegalArgumentException e) {
        return "is not a valid connection string: "
                + (uri.contains("@")
                        ? "are all special characters in user and password percent-encoded?"
                        : e.getMessage());
    }

    /// Why the driver refuses the connection string.
    public String invalid(IllegalArgumentException e) {
        return "/mclient/connection-string " + invalid(connectionString, e);
    }

    /// Whether writes may carry the numbers by which MongoDB recognizes repeated writes; some proxies and databases
    /// with MongoDB's protocol have to be told not to.
    boolean retriesWrites() {
        return !NO_RETRIES.matcher(connectionString).find();
    }

    /// The file with the authorities of MongoDB's certificate, `tlsCAFile`: the driver itself does not read it.
    public Optional<Path> authorities() {
        return option("tlsCAFile");
    }

    /// The file with the certificate of this client and its key, `tlsCertificateKeyFile`, likewise.
    public Optional<Path> certificate() {
        return option("tlsCertificateKeyFile");
    }

    private Optional<Path> option(String name) {
        return Pattern.compile("[?&;]" + name + "=([^&;]+)", Pattern.CASE_INSENSITIVE)
                .matcher(connectionString)
                .results()
                .map(found -> Path.of(URLDecoder.decode(found.group(1).replace("+", "%2B"), StandardCharsets.UTF_8)))
                .findFirst();
    }

    /// Whether only user or password differ. False unless both have credentials.
    public boolean differsInCredentials(MclientConfig other) {
        return !connectionString.equals(other.connectionString)
                && withoutCredentials().equals(other.withoutCredentials());
    }

    private String withoutCredentials() {
        return connectionString.replaceFirst("://[^/?]*@", "://@");
    }

    public String masked() {
        return Secrets.inUri(connectionString);
    }

    @Override
    public String toString() {
        return "MclientConfig[" + masked() + "]";
    }
}
