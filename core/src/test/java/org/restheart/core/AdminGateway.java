package org.restheart.core;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestMongo;

/// A gateway with one account, which may do everything, with metrics, and with a collection `films`.
public final class AdminGateway implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final Gateway gateway;
    private final String db;

    private AdminGateway(TestMongo mongo, String requestMetrics, String more) {
        this.db = mongo.databaseName();
        this.gateway =
                Gateway.start(GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: '%s'}
                mongo: {mongo-mounts: [{what: '*', where: /}]}
                mongoRealmAuthenticator: {enabled: false}
                requestsMetricsCollector: {%s}
                jvmMetricsCollector: {enabled: true}
                mongoAclAuthorizer: {enabled: false}
                basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
                fileRealmAuthenticator: {enabled: true, users: [{userid: admin, password: secret, roles: [admin]}]}
                fullAuthorizer: {enabled: true, authentication-required: true}
                %s
                """.formatted(mongo.connectionString(), requestMetrics, more)));
    }

    /// @param requestMetrics the content of `requestsMetricsCollector`
    public static AdminGateway start(TestMongo mongo, String requestMetrics) throws IOException, InterruptedException {
        return start(mongo, requestMetrics, "");
    }

    /// @param requestMetrics the content of `requestsMetricsCollector`
    /// @param more keys of the configuration
    public static AdminGateway start(TestMongo mongo, String requestMetrics, String more)
            throws IOException, InterruptedException {
        var started = new AdminGateway(mongo, requestMetrics, more);
        started.send(started.data("").PUT(BodyPublishers.noBody()));
        started.send(started.data("/films").PUT(BodyPublishers.noBody()));
        return started;
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + gateway.address().getPort() + path);
    }

    /// A request of the account.
    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path)).header("Authorization", "Basic YWRtaW46c2VjcmV0");
    }

    /// A request of the account.
    ///
    /// @param path below the database
    public HttpRequest.Builder data(String path) {
        return request("/" + db + path);
    }

    public HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    @Override
    public void close() {
        gateway.close();
    }
}
