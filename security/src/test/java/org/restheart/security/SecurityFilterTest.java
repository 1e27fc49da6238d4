package org.restheart.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.security.Requests.basic;
import static org.restheart.security.Requests.bson;
import static org.restheart.security.Requests.get;
import static org.restheart.security.Requests.request;
import static org.restheart.security.Requests.with;
import static org.restheart.testkit.TestRequests.onIoThread;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.AclAuthorizer.FilePermissions;
import org.restheart.security.acl.PermissionException;
import org.restheart.security.acl.PermissionReader;
import org.restheart.security.realm.BasicAuthenticator;
import org.restheart.security.realm.FileRealm;
import org.restheart.security.realm.PasswordHashes;

class SecurityFilterTest {
    @AutoClose
    private static final PasswordHashes HASHES = new PasswordHashes(4, new ClientAddress.Peer());

    private static final FileRealm REALM = new FileRealm(
            List.of(
                    new FileRealm.User("ada", "s3:cret", List.of("editor"), bson("{userid: 'ada'}")),
                    new FileRealm.User("bob", "pw", List.of("viewer"), bson("{}")),
                    new FileRealm.User(
                            "eve",
                            "$2a$04$abcdefghijklmnopqrstuuMsnqUfF2kA3Mvy0Lz5lJ6wRj0Vh2Ahy",
                            List.of(),
                            bson("{}"))),
            HASHES);
    private final Policy policy = Requests.policy(
            List.of(new BasicAuthenticator(REALM, "test", new ClientAddress.Peer())),
            List.of(),
            List.of(acl("""
                {role: 'editor', predicate: "path('/c')"}\
                """, """
                {role: '$unauthenticated', predicate: "path('/open')"}\
                """)));

    private static Authorizer acl(String... entries) {
        return new AclAuthorizer(
                new FilePermissions(java.util.Arrays.stream(entries)
                        .map(entry -> {
                            try {
                                return PermissionReader.ofFile("test", bson(entry));
                            } catch (PermissionException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .toList()),
                Optional.of("admin"));
    }

    private Response.Ready secured(Request request) {
        return answer(policy, true, request);
    }

    private Response.Ready open(Request request) {
        return answer(policy, false, request);
    }

    private static Response.Ready answer(Policy policy, boolean secured, Request request) {
        try {
            return (Response.Ready) policy.securityFilter(secured).filter(request, SecurityFilterTest::whoami);
        } catch (ProblemException refused) {
            var problem = refused.problem();
            assertThat(problem.disclosure()).isEqualTo(Problem.Disclosure.UNLESS_MINIMAL);
            return Response.status(problem.status()).with(problem.headers());
        }
    }

    private static Response whoami(Request request) {
        return Response.status(200)
                .with("Who", request.caller().account().map(Account::name).orElse("nobody"));
    }

    @Test
    void anonymous_requests_are_challenged() {
        var response = secured(get("/c"));
        assertThat(response.status()).isEqualTo(401);
        assertThat(response.headers().all("WWW-Authenticate")).containsExactly("Basic realm=\"RESTHeart Realm\"");
    }

    @Test
    void the_presence_of_a_header_or_parameter_suppresses_challenges() {
        assertThat(secured(get("/c?noauthchallenge=false")).headers().has("WWW-Authenticate"))
                .isFalse();
        assertThat(secured(with(get("/c"), "No-Auth-Challenge", "")).headers().has("WWW-Authenticate"))
                .isFalse();
    }

    @Test
    void valid_credentials_and_a_permission_admit_a_request() {
        assertThat(secured(basic(get("/c"), "ada", "s3:cret")).headers().first("Who"))
                .contains("ada");
        assertThat(secured(with(get("/c"), "Authorization", "bAsIc YWRhOnMzOmNyZXQ="))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void wrong_credentials_are_challenged_and_missing_permission_is_forbidden() {
        assertThat(secured(basic(get("/c"), "ada", "x")).status()).isEqualTo(401);
        assertThat(secured(basic(get("/c"), "nobody", "x")).status()).isEqualTo(401);
        assertThat(secured(basic(get("/c"), "bob", "pw")).status()).isEqualTo(403);
        assertThat(secured(basic(get("/open"), "bob", "pw")).status()).isEqualTo(403);
    }

    @Test
    void undecodable_credentials_are_not_an_error() {
        for (var value : List.of("Basic %%%", "Basic YWRh", "Basic ", "Basic", "Foo x", "Basic /////w==")) {
            assertThat(secured(with(get("/c"), "Authorization", value)).status())
                    .as(value)
                    .isEqualTo(401);
        }
    }

    @Test
    void oversized_and_repeated_credentials_are_refused_unread() {
        assertThat(secured(with(get("/c"), "Authorization", "Basic " + "A".repeat(9_000)))
                        .status())
                .isEqualTo(401);
        assertThat(secured(basic(basic(get("/c"), "ada", "s3:cret"), "bob", "pw"))
                        .status())
                .isEqualTo(401);
        assertThat(secured(with(get("/c"), "Authorization", "Basic YWRhOnMzOmNyZXQ=\n"))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void wrong_credentials_are_ignored_where_anonymous_requests_are_allowed() {
        assertThat(secured(basic(get("/open"), "ada", "x")).headers().first("Who"))
                .contains("nobody");
        assertThat(open(basic(get("/ping"), "ada", "x")).headers().first("Who")).contains("nobody");
    }

    @Test
    void public_routes_see_the_caller() {
        assertThat(open(basic(get("/ping"), "ada", "s3:cret")).headers().first("Who"))
                .contains("ada");
    }

    @Test
    void options_is_never_challenged() {
        assertThat(secured(request(Method.OPTIONS, "/c")).status()).isEqualTo(200);
    }

    @Test
    void a_veto_holds_on_public_routes_too() {
        var vetoing = Requests.policy(List.of(), List.of((_, _) -> true), List.of());
        assertThat(answer(vetoing, false, get("/ping")).status()).isEqualTo(403);
    }

    @Test
    void without_mechanisms_there_is_no_challenge() {
        var closed = Requests.policy(List.of(), List.of(), List.of());
        assertThat(answer(closed, true, get("/c")).status()).isEqualTo(403);
    }

    @Test
    void without_authorizers_every_request_is_refused() {
        var closed = Requests.policy(
                List.of(new BasicAuthenticator(REALM, "test", new ClientAddress.Peer())), List.of(), List.of());
        assertThat(answer(closed, true, get("/c")).status()).isEqualTo(401);
        assertThat(answer(closed, true, basic(get("/c"), "bob", "pw")).status()).isEqualTo(403);
    }

    @Test
    void a_known_account_passes_on_the_io_thread() {
        var known = basic(get("/c"), "ada", "s3:cret");
        assertThat(secured(known).status()).isEqualTo(200);
        assertThat(secured(onIoThread(known)).status()).isEqualTo(200);
    }

    @Test
    void a_hash_is_verified_once_and_off_the_io_thread() {
        var hash = HASHES.hash(get("/"), "pässwörd");
        var policy = Requests.policy(
                List.of(new BasicAuthenticator(
                        new FileRealm(List.of(new FileRealm.User("eve", hash, List.of("editor"), bson("{}"))), HASHES),
                        "test",
                        new ClientAddress.Peer())),
                List.of(),
                this.policy.authorizers());
        var eve = basic(get("/c"), "eve", "pässwörd");
        assertThatThrownBy(() -> policy.securityFilter(true).filter(onIoThread(eve), SecurityFilterTest::whoami))
                .hasMessage("needs a thread that may block");
        assertThat(answer(policy, true, eve).status()).isEqualTo(200);
        assertThat(answer(policy, true, onIoThread(eve)).status()).isEqualTo(200);
    }
}
