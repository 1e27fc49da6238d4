package org.restheart.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.crypto.spec.SecretKeySpec;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class SealedTokensTest {
    private static final BsonDocument CONTENT = BsonDocument.parse("{n: {$numberLong: '3'}}");
    private static final BsonValue ABOUT = new BsonString("delete-many");

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-23T08:00:00Z"));
    private final SealedTokens tokens = tokens("a");

    private SealedTokens tokens(String key) {
        return new SealedTokens(
                new SecretKeySpec(key.repeat(32).getBytes(StandardCharsets.UTF_8), "HmacSHA256"), now::get);
    }

    private String sealed() {
        return tokens.seal("confirmation", "ada", ABOUT, CONTENT, Duration.ofMinutes(5));
    }

    @Test
    void a_token_is_good_for_five_minutes() {
        var token = sealed();
        assertThat(tokens.open(token, "confirmation", "ada", ABOUT)).contains(CONTENT);
        now.updateAndGet(then -> then.plus(Duration.ofSeconds(299)));
        assertThat(tokens.open(token, "confirmation", "ada", ABOUT)).contains(CONTENT);
        now.updateAndGet(then -> then.plus(Duration.ofSeconds(61)));
        assertThat(tokens.open(token, "confirmation", "ada", ABOUT)).isEmpty();
    }

    @Test
    void a_token_is_bound_to_account_purpose_arguments_and_key() {
        var token = sealed();
        assertThat(tokens.open(token, "elicitation", "ada", ABOUT)).isEmpty();
        assertThat(tokens.open(token, "confirmation", "bob", ABOUT)).isEmpty();
        assertThat(tokens.open(token, "confirmation", "ada", new BsonInt32(1))).isEmpty();
        assertThat(tokens("b").open(token, "confirmation", "ada", ABOUT)).isEmpty();
        assertThat(tokens("a").open(token, "confirmation", "ada", ABOUT))
                .as("another gateway of the same key")
                .contains(CONTENT);
    }

    @Test
    void a_changed_token_is_none() {
        var token = sealed();
        int dot = token.indexOf('.');
        for (int i = 0; i < token.length(); i++) {
            var changed = token.substring(0, i) + (token.charAt(i) == 'A' ? 'B' : 'A') + token.substring(i + 1);
            if (i != token.length() - 1) { // its last bits are padding
                assertThat(tokens.open(changed, "confirmation", "ada", ABOUT)).isEmpty();
            }
        }
        for (var none : List.of("", ".", token.substring(0, dot), token.substring(dot), "x".repeat(20_000) + ".y")) {
            assertThat(tokens.open(none, "confirmation", "ada", ABOUT)).isEmpty();
        }
    }
}
