package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Sends a document's path in random spellings, byte by byte, and looks at what comes back: never a document that
/// the permission leaves out. `-Dfuzz.requests=100000` sends more than the few thousand of every test run,
/// `-Dfuzz.seed=7` others.
@WithMongo
class PathFuzzTest {
    private static final int REQUESTS = Integer.getInteger("fuzz.requests", 1_500);
    private static final long SEED = Long.getLong("fuzz.seed", 40);
    private static final List<String> ENDS = List.of(
            "",
            "/",
            "//",
            "/.",
            "/..",
            ".",
            "%20",
            "%09",
            "%00",
            "%0A",
            "%2F",
            "%252F",
            ";x=1",
            ";",
            "%3B",
            "%23",
            "?x",
            "%3Fx",
            "/x",
            "%E2%80%83",
            "%C0%AF",
            "%",
            "%zz",
            "\\",
            "?filter={}",
            "?keys={\"x\":\"$$ROOT\"}",
            "?filter={\"_id\":\"b\"}",
            "?rep=hal",
            "?id_type=STRING",
            "?shardkey={\"_id\":\"b\"}",
            "?cache");

    @Test
    void no_random_spelling_shows_what_a_permission_leaves_out(TestMongo mongo) throws IOException {
        try (var gateway = TestGateway.start(mongo, "")) {
            gateway.insert("c", "{_id: 'a', text: 'OPEN', for: 'all'}", "{_id: 'b', text: 'HIDDEN', for: 'none'}");
            gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/c') and method(GET)\","
                    + " mongo: {readFilter: {for: 'all'}}}");
            gateway.permit("{_id: 2, roles: ['viewer'],"
                    + " predicate: \"path-prefix('/c') and not path('/c') and not path('/c/b') and method(GET)\"}");
            var random = new Random(SEED);
            int shown = 0;
            for (int i = 0; i < REQUESTS; i++) {
                var user = random.nextBoolean() ? "ada" : "bob";
                // bob may not list the collection; an empty id would be another spelling of just that
                var target = spelled(random.nextInt(4) == 0 ? "/c/a" : "/c/b", random)
                        + ENDS.get(random.nextInt(ENDS.size()));
                var answer = answer(gateway.address(), user, target);
                assertThat(answer).as("%s as %s, seed %d", target, user, SEED).doesNotContain("HIDDEN");
                assertThat(answer).as("%s as %s, seed %d", target, user, SEED).matches("(?s)(HTTP/1.1 [2-4].*)?");
                shown += answer.contains("OPEN") ? 1 : 0;
            }
            assertThat(shown)
                    .as("some spellings must mean the document that may be seen")
                    .isPositive();
        }
    }

    private static String spelled(String path, Random random) {
        var spelled = new StringBuilder();
        for (char c : path.toCharArray()) {
            spelled.append(
                    switch (random.nextInt(14)) {
                        case 0 -> "%%%02X".formatted((int) c);
                        case 1 -> "%%%02x".formatted((int) c);
                        case 2 -> "%%25%02X".formatted((int) c);
                        case 3 -> c == '/' ? "//" : String.valueOf(c);
                        case 4 -> c == '/' ? "/./" : String.valueOf(Character.toUpperCase(c));
                        case 5 -> c == '/' ? "/x/../" : c + ";y=1";
                        default -> String.valueOf(c);
                    });
        }
        return spelled.toString();
    }

    /// Everything the server sends until it closes the connection, which may be nothing.
    private static String answer(InetSocketAddress address, String user, String target) throws IOException {
        var credentials =
                Base64.getEncoder().encodeToString((user + ":" + user + "-pw").getBytes(StandardCharsets.UTF_8));
        try (var socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream()
                    .write(("GET " + target
                                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Basic "
                                    + credentials + "\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
            return all(socket.getInputStream());
        }
    }

    private static String all(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
}
