package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.config.ConfigException;

/// Which header fields of a client the target of a proxy gets.
class ForwardedHeadersTest {
    /// By which servers, frameworks and authenticating proxies know clients, or which path is meant.
    private static final List<String> CLAIMS = List.of("""
        Proxy Remote-Email Remote-User Remote-Groups Remote-Name X-MS-CLIENT-PRINCIPAL X-MS-CLIENT-PRINCIPAL-ID
        X-MS-TOKEN-AAD-ACCESS-TOKEN X-User X-User-Id X-Username X-Email X-Groups X-Roles X-Role X-Account-Id
        X-Tenant-Id X-Consumer-Username X-Consumer-ID X-Credential-Identifier X-Authenticated-Userid
        X-Auth-Request-User X-Auth-User X-Auth-Token X-Goog-Authenticated-User-Email X-Goog-IAP-JWT-Assertion
        Cf-Access-Authenticated-User-Email Cf-Access-Jwt-Assertion CF-Connecting-IP X-Amzn-Oidc-Identity
        X-Amzn-Oidc-Data X-Pomerium-Jwt-Assertion X-WEBAUTH-USER X-Token-Subject X-Vouch-User X-Endpoint-API-UserInfo
        X-Client-DN X-Client-Verify SSL-Client-Cert X-SSL-Client-S-DN X-ARR-ClientCert Client-Cert REMOTE_USER
        X_Remote_User HTTP_REMOTE_USER X-Real-IP X-Client-IP True-Client-IP Forwarded X-Original-URL X-Rewrite-URL
        X-Original-Host X-HTTP-Method-Override X-HTTP-Path-Override X-Sendfile-Type X-Accel-Mapping X-Envoy-Peer-Metadata
        X-Envoy-External-Address X-Middleware-Subrequest X-Custom Early-Data Destination Translate From
        X-Forwarded-Account-Id X_Forwarded_Account_Id X.Forwarded.Account.Id X-Forwarded-Account-Roles
        X-Forwarded-Accounts X-Forwarded-User X-Forwarded-Username X-Forwarded-Preferred-Username X-Forwarded-Email
        X-Forwarded-Groups X-Forwarded-Roles X-Forwarded-Access-Token X-Forwarded-Id-Token X-Forwarded-Client-Cert
        X-Forwarded-Tls-Client-Cert X-Forwarded-Jwt-Payload X-Forwarded-Sub X-Forwarded-Identity X-Forwarded-Uri
        X-Forwarded-Method X-Forwarded-Prefix X-Forwarded-Path X_Forwarded_Other x.requested.with X_Request_Id
        X-Forwarded-Entitlements X-Forwarded-Assertion X-Forwarded-Acl X-Forwarded-Oid X-Forwarded-Amr
        X-Forwarded-Verified X-Forwarded-Trusted X-Forwarded-Internal X-Forwarded-Brand-New X-Forwarded- X-Forwarded
        X-Forwarded-Custom_ X-Forwarded-Custom-User X-Forwarded-Team X-Forwarded-Anything X-Forwarded-By X-Forwarded-Fo\
        """.strip().split("\\s+"));

    private static final List<String> USUAL = List.of("""
        Accept Accept-Language Accept-Encoding Cache-Control Content-Language Cookie If-None-Match If-Modified-Since
        If-Range Range Origin Referer User-Agent X-Requested-With X-CSRF-Token Sec-Fetch-Site Sec-CH-UA Idempotency-Key
        Last-Event-ID Prefer tracestate baggage b3 X-B3-TraceId X-Request-Id X-Correlation-Id X-Forwarded-Custom
        X-Forwarded-Foo-Bar\
        """.strip().split("\\s+"));

    @AutoClose
    private final RawTarget target = new RawTarget();

    private String received(String more, Stream<String> fields) throws Exception {
        try (var gateway = target.gateway(more);
                var client = new RawClient(gateway.address())) {
            var sent = Stream.concat(Stream.of(RawTarget.basic("ada")), fields).toArray(String[]::new);
            assertThat(client.request("GET /back/x", sent).answer().status()).isEqualTo(200);
            return target.next();
        }
    }

    @Test
    void no_header_by_which_a_client_could_claim_something_is_handed_on() throws Exception {
        assertThat(received("", CLAIMS.stream().map(name -> name + ": claimed")))
                .doesNotContain("claimed");
    }

    @Test
    void usual_headers_are_handed_on_as_they_were_sent() throws Exception {
        var lines = USUAL.stream().map(name -> name + ": sent=" + name).toList();
        var head = received("", lines.stream());
        assertThat(head.lines()).containsAll(lines);
        assertThat(head.lines().filter(line -> line.contains(":")).map(line -> line.split(":", 2)[0]))
                .doesNotHaveDuplicates();
    }

    @Test
    void a_request_without_content_says_no_more_than_it_said() throws Exception {
        try (var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            for (var method : List.of("GET", "DELETE", "POST")) {
                assertThat(client.request(method + " /back/x", RawTarget.basic("ada"))
                                .answer()
                                .status())
                        .isEqualTo(200);
                var head = target.next().toLowerCase(Locale.ROOT);
                assertThat(head).contains("user-agent: restheart\r\n");
                assertThat(head.contains("content-length")).as(method).isEqualTo(method.equals("POST"));
            }
        }
    }

    /// Browsers send each of them by itself, so that their compression knows it again.
    @Test
    void cookies_arrive_in_one_field() throws Exception {
        try (var gateway = target.gateway("");
                var client = new RawHttp2(gateway.address())) {
            var credentials = RawTarget.basic("ada").split(": ", 2)[1];
            client.get(
                    1,
                    "/back/x",
                    "authorization",
                    credentials,
                    "cookie",
                    "a=b",
                    "cookie",
                    "rh_auth=c",
                    "cookie",
                    "d=e");
            assertThat(target.next().lines())
                    .filteredOn(line -> line.startsWith("Cookie"))
                    .containsExactly("Cookie: a=b; d=e");
        }
    }

    /// Access rules may ask for `secure`, and targets make cookies and redirects of it.
    @Test
    void a_client_cannot_claim_that_its_connection_is_encrypted() throws Exception {
        try (var gateway = target.gateway("");
                var http2 = new RawHttp2(gateway.address());
                var http = new RawClient(gateway.address())) {
            var credentials = RawTarget.basic("ada").split(": ", 2)[1];
            http2.request(1, "GET", "https", "/back/x", "test", "authorization", credentials);
            assertThat(target.next()).contains("X-Forwarded-Proto: http\r\n");
            http.request("GET https://test/back/x", RawTarget.basic("ada"));
            assertThat(target.next()).contains("X-Forwarded-Proto: http\r\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com, 443",
        "api.example.com:8443, 8443",
        "[::1], 443",
    })
    void a_target_behind_a_trusted_proxy_learns_the_port_that_clients_call(String host, String port) throws Exception {
        try (var gateway = RawTarget.gateway(target.url(), "", ", trusted-proxies: [127.0.0.1]");
                var client = new RawClient(gateway.address())) {
            client.request(
                    "GET /back/x",
                    RawTarget.basic("ada"),
                    "X-Forwarded-For: 203.0.113.9",
                    "X-Forwarded-Proto: https",
                    "X-Forwarded-Host: " + host);
            assertThat(target.next())
                    .contains("X-Forwarded-Host: " + host + "\r\n", "X-Forwarded-Port: " + port + "\r\n")
                    .contains("X-Forwarded-For: 203.0.113.9,127.0.0.1\r\n");
            client.request("GET /back/x", RawTarget.basic("ada"), "X-Forwarded-Host: " + host);
            assertThat(target.next())
                    .contains("X-Forwarded-Port: " + gateway.address().getPort() + "\r\n");
        }
    }

    @Test
    void content_without_a_type_arrives_without_one() throws Exception {
        try (var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            client.request("POST /back/x", RawTarget.basic("ada"), "Content-Length: 2")
                    .send("ok");
            assertThat(target.next()).doesNotContainIgnoringCase("content-type").endsWith("\r\n\r\nok");
        }
    }

    @Test
    void others_are_handed_on_where_the_configuration_names_them() throws Exception {
        var received = received(
                ", forward-headers: [X-Tenant, 'X-My-*', 'X-Forwarded-*', Authorization]",
                Stream.of(
                        "x-tenant: one",
                        "X-My-Thing: two",
                        "X-Forwarded-Method: three",
                        "X_Tenant: claimed",
                        "X-Mine: claimed",
                        "X-Forwarded-Account-Id: claimed",
                        "X-Forwarded-Account_Roles: claimed",
                        "Keep-Alive: claimed"));
        assertThat(received.toLowerCase(Locale.ROOT))
                .contains("x-tenant: one\r\n", "x-my-thing: two\r\n", "x-forwarded-method: three\r\n")
                .contains("x-forwarded-account-id: ada\r\n")
                .doesNotContain("claimed", "authorization");
    }

    @Test
    void characters_beyond_ascii_are_percent_encoded_and_returned_as_they_are() throws Exception {
        assertThat(received("", Stream.of("Referer: /caf\u00e9")).lines()).contains("Referer: /caf%C3%A9");
        try (var named = new RawTarget(
                        _ -> "HTTP/1.1 200 OK\r\nX-Name: caf\u00c3\u00a9\r\nContent-Length: 2\r\n\r\nok");
                var gateway = named.gateway("");
                var client = new RawClient(gateway.address())) {
            var answer = client.request("GET /back/x", RawTarget.basic("ada")).answer();
            assertThat(answer.header("X-Name")).contains("caf\u00e9");
        }
    }

    @Test
    void credentials_are_handed_on_where_the_configuration_says_so() throws Exception {
        assertThat(received(", forward-credentials: true", Stream.of("X-Custom: claimed")))
                .contains(RawTarget.basic("ada"))
                .doesNotContain("claimed");
    }

    @Test
    void names_that_are_no_header_fields_are_refused() {
        for (var name : List.of("*", "a b", "x-*-y", "")) {
            assertThatThrownBy(() -> target.gateway(", forward-headers: ['" + name + "']"))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("forward-headers");
        }
    }

    @Test
    void fields_of_a_response_that_its_connection_names_are_not_handed_on() throws Exception {
        try (var odd = new RawTarget(_ -> """
            HTTP/1.1 200 OK\r
            Connection: X-Of-Connection, content-length\r
            X-Of-Connection: claimed\r
            TE: claimed\r
            Proxy-Authenticate: claimed\r
            X-Kept: yes\r
            Content-Length: 2\r
            \r
            ok\
            """);
                var gateway = odd.gateway("");
                var client = new RawClient(gateway.address())) {
            var answer = client.request("GET /back/x", RawTarget.basic("ada")).answer();
            assertThat(answer.header("X-Kept")).contains("yes");
            assertThat(answer.text()).isEqualTo("ok");
            assertThat(answer.toString()).doesNotContain("claimed");
        }
    }
}
