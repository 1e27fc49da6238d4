package org.restheart.core.transfer;

import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.bson.BsonArray;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/// The gateway and the credentials that a command line names. Sends requests to it, and prints the warnings of
/// its responses. Confined to one thread.
final class GatewayClient {
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private static final int MAX_WARNINGS = 20;

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
                        "'" + text + "' is no URL, such as http://localhost:8080/books");
            }
            return uri;
        }
    }

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

    private final Map<String, String> environment;
    private final PrintStream err;
    private final Set<String> warnings = new HashSet<>();
    private boolean answered;

    GatewayClient(Map<String, String> environment, PrintStream err) {
        this.environment = environment;
        this.err = err;
    }

    int attempts() {
        return attempts;
    }

    /// Called once, by the command line.
    void url(URI url) {
        this.url = url;
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

    HttpRequest.Builder request(URI uri) {
        var request = HttpRequest.newBuilder(uri);
        authorization().ifPresent(value -> request.header("Authorization", value));
        return request;
    }

    private Optional<String> authorization() {
        return given(token, environment.get("RESTHEART_TOKEN"))
                .map(value -> "Bearer " + value)
                .or(() -> given(user, environment.get("RESTHEART_USER")).map(GatewayClient::basic));
    }

    /// A variable of the shell that is not set is as good as none.
    private static Optional<String> given(@Nullable String option, @Nullable String variable) {
        return Stream.of(Optional.ofNullable(option), Optional.ofNullable(variable))
                .flatMap(Optional::stream)
                .filter(value -> !value.isBlank())
                .findFirst();
    }

    private static String basic(String user) {
        if (!user.contains(":")) {
            throw new Transfer.Failure("RESTHEART_USER, or --user, is NAME:PASSWORD; it has no colon");
        }
        return "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
    }

    /// @throws IOException if there is no response
    /// @throws Transfer.Failure if there is no connection, and has been none before: the address is likely wrong
    <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) throws IOException {
        try {
            var response = http.send(request, handler);
            answered = true;
            response.headers().allValues("Warning").forEach(this::warn);
            return response;
        } catch (ConnectException | HttpConnectTimeoutException | SSLException e) {
            if (answered) {
                throw e;
            }
            throw new Transfer.Failure(reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Transfer.Failure("interrupted");
        }
    }

    private void warn(String header) {
        if (warnings.size() < MAX_WARNINGS && warnings.add(header)) {
            var text = header.replaceFirst("^\\d+ \\S+ \"(.*)\"$", "$1").replaceAll("\\\\(.)", "$1");
            err.println("WARN  " + text);
        }
    }

    /// What a failed request says about the gateway's address.
    String reason(IOException e) {
        var address = url().getHost() + (url().getPort() < 0 ? "" : ":" + url().getPort());
        boolean unknown = Stream.<Throwable>iterate(e, each -> each != null, Throwable::getCause)
                .anyMatch(UnresolvedAddressException.class::isInstance);
        var detail = e.getMessage() == null ? "" : " (" + e.getMessage() + ")";
        return switch (e) {
            case ConnectException _ when unknown -> "there is no host " + url().getHost();
            case ConnectException _ -> address + " refuses connections" + detail;
            case HttpConnectTimeoutException _ -> address + " does not answer";
            case SSLException _ -> "no TLS with " + address + ", is the URL http://…?" + detail;
            default -> e.getMessage() == null ? e.toString() : e.getMessage();
        };
    }

    /// Whether a retry of the same request may succeed.
    static boolean isTransient(int status) {
        return status == 408 || status == 429 || status == 502 || status == 503 || status == 504;
    }

    /// Waits before a retry, and prints why: 1, 2, 4 … at most 30 seconds.
    ///
    /// @param attempt the number of the failed attempt, from 1
    void pause(int attempt, String why) {
        long seconds = Math.min(30, 1L << Math.min(attempt - 1, 5));
        err.println(why + "; again in " + seconds + " s");
        try {
            Thread.sleep(Duration.ofSeconds(seconds));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Transfer.Failure("interrupted");
        }
    }

    static Transfer.Failure refused(int status, String content) {
        return new Transfer.Failure("the gateway answers " + status + message(content)
                + (status == 401 ? "; here they are in RESTHEART_USER or RESTHEART_TOKEN" : ""));
    }

    private static String message(String content) {
        if (content.isBlank()) {
            return "";
        }
        try {
            var problem = JsonParser.parse(content).asDocument();
            var notes = problem.get("_warnings") instanceof BsonArray several
                    ? several.stream()
                            .map(note -> " (" + note.asString().getValue() + ")")
                            .collect(Collectors.joining())
                    : "";
            var cause = problem.get("exception message") instanceof BsonString text ? " (" + text.getValue() + ")" : "";
            return ": " + problem.getString("message").getValue() + cause + notes;
        } catch (RuntimeException _) { // the response of a proxy
            return ": " + content.substring(0, Math.min(300, content.length()));
        }
    }
}
