package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Clients at some addresses, with some accounts, never stop others.
@WithMongo
class FewAddressesTest {
    /// Requests of one address after the other, each of which takes half of what those before it have left of 40.
    private static final List<Integer> HALVES = List.of(20, 10, 5, 3, 1, 1);

    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (var client : clients) {
            client.close();
        }
    }

    private RawClient from(TestGateway gateway, int address) throws IOException {
        var client = new RawClient(gateway.address(), "127.0.0." + address);
        clients.add(client);
        return client;
    }

    /// A request whose content the server awaits: it has said so (100).
    private RawClient awaited(TestGateway gateway, int address, String target, String field) throws IOException {
        return from(gateway, address).request(target, field, "Content-Length: 2", "Expect: 100-continue");
    }

    private void assertOthersAreServed(TestGateway gateway, int address) throws IOException {
        assertThat(from(gateway, address).request("GET /ping").answer().status())
                .isEqualTo(200);
    }

    @Test
    void who_sends_content_slowly_from_some_addresses_stops_nobody(TestMongo mongo) throws Exception {
        try (var gateway = TestGateway.start(mongo, TokenFixture.TOKENS + "core: {max-in-flight-requests: 40}\n")) {
            gateway.permit("{_id: 'slow', roles: ['a', 'b', 'c', 'd'], predicate: \"path('/books')\"}");
            gateway.addUsers("a", "b", "c", "d");
            gateway.insert("books", "{_id: 1}");
            var answers = new ArrayList<Integer>();
            for (int i = 0; i < HALVES.size(); i++) {
                for (int n = 0; n < HALVES.get(i); n++) {
                    var slow =
                            awaited(gateway, i + 1, "POST /token", "Content-Type: application/x-www-form-urlencoded");
                    answers.add(slow.answer().status());
                }
            }
            assertThat(answers).contains(100);
            assertOthersAreServed(gateway, 99);
            var account =
                    awaited(gateway, 98, "POST /books", "Authorization: " + TestClient.basic("admin", "admin-pw"));
            assertThat(account.answer().status()).isEqualTo(100);
            assertThat(account.send("{}").answer().status()).isEqualTo(201);
            for (int n = 0; n < 24; n++) {
                var name = List.of("a", "b", "c", "d").get(n / 6);
                awaited(gateway, 100 + n, "POST /books", "Authorization: " + TestClient.basic(name, "pw"))
                        .answer();
            }
            assertOthersAreServed(gateway, 97);
        }
    }
}
