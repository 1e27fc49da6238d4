package org.restheart.testkit;

import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;

/// A transaction that a client of the gateway has begun.
///
/// @param sid of its session
/// @param number of the transaction in its session, from 1
public record ClientTransaction(TestClient client, String sid, String number) {

    /// In a new session.
    public static ClientTransaction begin(TestClient client) {
        return begin(client, beginSession(client));
    }

    public static ClientTransaction begin(TestClient client, String sid) {
        var begun = client.post("/_sessions/" + sid + "/_txns", "");
        assertStatus(201, begun);
        return new ClientTransaction(client, sid, Responses.createdId(begun));
    }

    /// @return its name
    public static String beginSession(TestClient client) {
        var begun = client.post("/_sessions", "");
        assertStatus(201, begun);
        return Responses.createdId(begun);
    }

    /// The target of a request within the transaction.
    public String in(String target) {
        return target + (target.contains("?") ? "&" : "?") + "sid=" + sid + "&txn=" + number;
    }

    public HttpResponse<String> commit() {
        return client.patch(target(), "");
    }

    public HttpResponse<String> abort() {
        return client.delete(target());
    }

    private String target() {
        return "/_sessions/" + sid + "/_txns/" + number;
    }
}
