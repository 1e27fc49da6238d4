package org.restheart.core.transfer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The gateway and the credentials that a command line names. Sends requests to it.
final class GatewayClient {
    private static final Duration CONNECT = Duration.ofSeconds(10);

    /// Converts URLs whose query need not be percent-encoded.
    static final class Address implements ITypeConverter<URI> {
        @Override
        public URI convert(String text) {
            var encoded = new StringBuilder();
            for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
                char c = (char) (each & 0xff);
                encoded.append(
                        c > ' ' && c < 0x7f && "\"<>\\^`{|}[]".indexOf(c) < 0 ? "" + c : "%%%02X".formatted((int) c));
            }
            var uri = URI.create(encoded.toString());
            if (uri.getHost() == null
                    || uri.getScheme() == null
                    || !uri.getScheme().startsWith("http")) {
                throw new CommandLine.TypeConversionException(
                        "'" + text + "' is no URL of a collection, such as" + " http://localhost:8080/books");
            }
            return uri;
        }
    }

    @Parameters(index = "0", paramLabel = "URL", converter = Address.class, description = "The collection.")
    private @Nullable URI url;

    @Option(
            names = {"-u", "--user"},
            paramLabel = "NAME:PASSWORD",
            description = "Credentials; better in RESTHEART_USER.")
    private @Nullable String user;

    @Option(names = "--token", paramLabel = "TOKEN", description = "A bearer token; better in RESTHEART_TOKEN.")
    private @Nullable String token;

    @Option(
            names = "--attempts",
            paramLabel = "N",
            defaultValue = "8",
            description = "Of a request that is not answered: after 1, 2, 4 … 30 seconds; ${DEFAULT-VALUE}.")
    private int attempts;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();

    int attempts() {
        return attempts;
    }

    URI url() {
        if (url == null) {
            throw new IllegalStateException("not parsed");
        }
        return url;
    }

    /// The URL with further parameters, which need no encoding.
    URI with(String parameters) {
        return URI.create(url() + (url().getRawQuery() == null ? "?" : "&") + parameters);
    }

    HttpRequest.Builder request(URI uri, Map<String, String> environment) {
        var request = HttpRequest.newBuilder(uri);
        authorization(environment).ifPresent(value -> request.header("Authorization", value));
        return request;
    }

    private Optional<String> authorization(Map<String, String> environment) {
        var bearer = Optional.ofNullable(token).or(() -> Optional.ofNullable(environment.get("RESTHEART_TOKEN")));
        var basic = Optional.ofNullable(user).or(() -> Optional.ofNullable(environment.get("RESTHEART_USER")));
        return bearer.map(value -> "Bearer " + value)
                .or(() -> basic.map(value ->
                        "Basic " + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))));
    }

    <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) throws IOException {
        try {
            return http.send(request, handler);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransferFailure("interrupted");
        }
    }

    /// Whether a retry of the same request may succeed.
    static boolean isTransient(int status) {
        return status == 408 || status == 429 || status == 502 || status == 503 || status == 504;
    }

    /// Waits before a retry: 1, 2, 4 … at most 30 seconds.
    ///
    /// @param attempt the number of the failed attempt, from 1
    static void pause(int attempt) {
        try {
            Thread.sleep(Duration.ofSeconds(Math.min(30, 1L << Math.min(attempt - 1, 5))));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransferFailure("interrupted");
        }
    }

    static TransferFailure refused(int status, String content) {
        return new TransferFailure("the gateway answers " + status + message(content));
    }

    private static String message(String content) {
        if (content.isBlank()) {
            return "";
        }
        try {
            var problem = JsonParser.parse(content).asDocument();
            return ": " + problem.getString("message").getValue();
        } catch (RuntimeException _) { // the response of a proxy
            return ": " + content.substring(0, Math.min(300, content.length()));
        }
    }
}
