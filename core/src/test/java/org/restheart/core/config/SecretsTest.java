package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mongodb://127.0.0.1 | mongodb://127.0.0.1",
                "mongodb://u:p@h/?replicaSet=rs0 | mongodb://u:**********@h/?replicaSet=rs0",
                "mongodb+srv://u:p@h/db | mongodb+srv://u:**********@h/db",
                "mongodb://u:p@ss:w@h1:1,h2:2/ | mongodb://u:**********@h1:1,h2:2/",
                "mongodb://h/?tlsCertificateKeyFilePassword=p&w=1 |"
                        + " mongodb://h/?tlsCertificateKeyFilePassword=**********&w=1",
                "mongodb://h/?proxyPassword=p | mongodb://h/?proxyPassword=**********",
                "mongodb://h/?authMechanismProperties=AWS_SESSION_TOKEN:t,X:y |"
                        + " mongodb://h/?authMechanismProperties=AWS_SESSION_TOKEN:**********,X:y",
                "http://proxy:pw@10.0.0.7:8080/x | http://proxy:**********@10.0.0.7:8080/x",
            })
    void passwords_in_uris_are_hidden(String uri, String shown) {
        assertThat(Secrets.inUri(uri)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "todo-todo-todo-todo-todo-todo-todo",
                "changed-to-changed-to-changed-to-",
                "${TOKEN_KEY}-and-the-rest-of-it-in-clear",
                "thisIsASecretKeyThatShouldBeChanged1234",
                "generate it with openssl rand -base64 32",
            })
    void what_stands_for_a_secret_or_repeats_itself_is_none(String secret) {
        assertThat(Secrets.weakness(secret)).isPresent();
    }

    @Test
    void a_random_secret_is_one() {
        assertThat(Secrets.weakness("q0YyXlq1TdZbqK3kq9vJm7n2sN6wq8pHc5rVt4uGf0E="))
                .isEmpty();
        assertThat(Secrets.weakness("8f14e45fceea167a5a36dedd4bea2543")).isEmpty();
    }

    @Test
    void whatever_is_named_like_a_secret_is_hidden() {
        var tree = Yaml.parse("""
            https-listener: {keystore-path: /k.p12, keystore-password: p1, certificate-password: 12345}
            jwtConfigProvider: {key: k1, algorithm: HS256}
            jwtTokenManager: {ttl: 15, enabled: true}
            apiKeyRealm: {max-lifetime-days: 30, pepper: p7}
            realm: {users: [{userid: ada, password: p2, roles: [a]}], prop-password: password}
            mine: {api-keys: [k2, k3], tokens: {a: t1, b: {c: t2}}, client_secret: s1, dbPwd: p4}
            mclient: {connection-string: "mongodb://u:p5@h"}
            document: '{"_id": "admin", "password": "p6", ''api-token'': ''t3'', n: 1}'
            unset: {password: null, bcrypt-hashed-password: true}
            """, "t", new Reading());
        assertThat(Trees.inline(Secrets.mask(tree)).replace(Secrets.MASK, "*"))
                .isEqualTo(Trees.inline(Yaml.parse("""
                    https-listener: {keystore-path: /k.p12, keystore-password: "*", certificate-password: "*"}
                    jwtConfigProvider: {key: "*", algorithm: HS256}
                    jwtTokenManager: {ttl: 15, enabled: true}
                    apiKeyRealm: {max-lifetime-days: 30, pepper: "*"}
                    realm: {users: [{userid: ada, password: "*", roles: [a]}], prop-password: password}
                    mine: {api-keys: ["*", "*"], tokens: {a: "*", b: {c: "*"}}, client_secret: "*", dbPwd: "*"}
                    mclient: {connection-string: "mongodb://u:*@h"}
                    document: '{"_id": "admin", "password": "*", ''api-token'': "*", n: 1}'
                    unset: {password: null, bcrypt-hashed-password: true}
                    """, "t", new Reading())));
    }

    @ParameterizedTest
    @CsvSource({
        "password, true",
        "oldPasswd, true",
        "apiKey, true",
        "Pwd, true",
        "passphrase, true",
        "credentials, true",
        "Authorization, true",
        "keys, false",
        "key, false",
        "roles, false"
    })
    void fields_of_documents_are_secrets_by_their_names(String field, boolean secret) {
        assertThat(Secrets.isNamedSecret(field)).isEqualTo(secret);
    }

    @Test
    void the_typed_configuration_shows_no_secret_when_it_is_printed() {
        var printed = GatewayConfig.parse("""
            https-listener: {keystore-path: /k.p12, keystore-password: "s3cret-1", certificate-password: "s3cret-2"}
            jwtConfigProvider: {key: s3cret-3-that-has-at-least-thirty-two-bytes}
            apiKeyAuthMechanism: {enabled: true}
            apiKeyRealm: {pepper: s3cret-4-that-has-at-least-thirty-two-bytes}
            fileRealmAuthenticator: {enabled: true, users: [{userid: ada, password: s3cret-5, roles: [a]}]}
            mongoRealmAuthenticator: {enabled: true, create-user-document: '{"_id": "a", "password": "s3cret-6"}'}
            mclient: {connection-string: "mongodb://u:s3cret-7@h"}
            tracing: {enabled: true, endpoint: "http://u:s3cret-8@h", headers: {Authorization: "Bearer s3cret-9"}}
            metrics: {otlp: {enabled: true, endpoint: "http://u:s3cret-a@h", headers: {Authorization: "Bearer s3cret-b"}}}
            """).toString();
        assertThat(printed).contains("/k.p12", "ApiKeyConfig", "MongoRealmConfig", "TracingConfig", "Push[");
        assertThat(printed).doesNotContain("s3cret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/core/name->'n' | /core/name -> \"n\" (RHO)",
                "/jwtConfigProvider/key->'k1' | /jwtConfigProvider/key -> \"**********\" (RHO)",
                "/realm/users[userid='a']/password->'p' | /realm/users[userid='a']/password -> \"**********\" (RHO)",
                "/realm/users->[{userid: 'a', password: 'p'}] | /realm/users ->"
                        + " [{\"userid\":\"a\",\"password\":\"**********\"}] (RHO)",
                "/vault/secrets/a->'p' | /vault/secrets/a -> \"**********\" (RHO)",
                "/vault/secrets[1]->'p' | /vault/secrets[1] -> \"**********\" (RHO)",
                "/mclient/connection-string->'mongodb://u:p@h' | /mclient/connection-string ->"
                        + " \"mongodb://u:**********@h\" (RHO)",
                "/jwtTokenManager/ttl->5 | /jwtTokenManager/ttl -> 5 (RHO)",
            })
    void overrides_are_logged_without_secrets(String rho, String line) {
        assertThat(new Overrides("RHO", new Reading()).parse(rho))
                .singleElement()
                .asString()
                .isEqualTo(line);
    }
}
