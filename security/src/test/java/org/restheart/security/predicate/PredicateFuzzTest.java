package org.restheart.security.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.security.Requests.get;

import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// Random texts with fixed seeds, so that what fails once fails again.
class PredicateFuzzTest {
    private static final Account ADA = new Account("ada", List.of(), new BsonDocument());
    private static final List<String> PIECES = List.of(
            "path",
            "path-prefix",
            "path-template",
            "regex",
            "method",
            "equals",
            "in",
            "not",
            "and",
            "or",
            "true",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            "=",
            "'",
            "\"",
            "\\",
            "%u",
            "%{q,a}",
            "%{",
            "${x}",
            "$",
            "@user.a",
            "@request.body.b",
            "@user",
            "'/c'",
            "'/{x}'",
            "value=",
            "pattern=",
            "array=",
            "GET",
            " ",
            "\n",
            "\u0000",
            "😀",
            "qparams-whitelist",
            "bson-request-blacklist",
            "'(a'");

    private static String text(Random random) {
        var text = new StringBuilder();
        for (int i = random.nextInt(25); i >= 0; i--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
            if (random.nextInt(3) == 0) {
                text.append(' ');
            }
        }
        return text.toString();
    }

    /// Whether the rule applies; a text that is no rule is refused with a reason.
    private static boolean applies(String text, Request request) {
        try {
            return PredicateParser.parse(text).test(new Attempt(request, ADA, true));
        } catch (PredicateException e) {
            assertThat(e).hasMessageContaining(" at column ");
            return false;
        } catch (Unanswerable | ProblemException _) {
            return false;
        }
    }

    @Test
    void any_text_is_a_predicate_or_refused_with_a_place() {
        var random = new Random(1);
        int predicates = 0;
        for (int i = 0; i < 60_000; i++) {
            predicates += applies(text(random), get("/c/a?a=1")) ? 1 : 0;
        }
        assertThat(predicates).as("some texts must be predicates that hold").isPositive();
    }

    @Test
    void random_bytes_never_fail_otherwise() {
        var random = new Random(2);
        for (int i = 0; i < 15_000; i++) {
            var chars = new char[random.nextInt(40)];
            for (int c = 0; c < chars.length; c++) {
                chars[c] = (char) (random.nextInt(4) == 0 ? random.nextInt(0x10000) : ' ' + random.nextInt(95));
            }
            applies(new String(chars), get("/c"));
        }
    }

    private static String spelled(String path, Random random) {
        var spelled = new StringBuilder();
        for (char c : path.toCharArray()) {
            switch (random.nextInt(8)) {
                case 0 -> spelled.append("%%%02X".formatted((int) c));
                case 1 -> spelled.append("%%%02x".formatted((int) c));
                case 2 -> spelled.append(c == '/' ? "//" : String.valueOf(c));
                default -> spelled.append(c);
            }
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            spelled.append(List.of("/", ";x=1", "%20", "%2F", ".", "/.", "%0A", "//", "")
                    .get(random.nextInt(9)));
        }
        return spelled.charAt(0) == '/' ? spelled.toString() : "/" + spelled;
    }

    /// What the router and the handlers read are the segments: a rule about a document must agree with them,
    /// however the path is spelled.
    @Test
    void rules_and_handlers_agree_about_every_spelling_of_a_path() {
        var random = new Random(3);
        int same = 0;
        for (int i = 0; i < 30_000; i++) {
            var request = get(spelled("/c/b", random));
            boolean means = request.path().segments().equals(List.of("c", "b"));
            same += means ? 1 : 0;
            assertThat(applies("path('/c/b')", request))
                    .as(request.path().raw())
                    .isEqualTo(means);
            if (means) {
                assertThat(applies("path-prefix('/c') and not path('/c/b')", request))
                        .isFalse();
                assertThat(applies("not path-template('/c/b')", request))
                        .as(request.path().raw())
                        .isFalse();
            }
            if (applies("path-template('/c/{id}') and equals(${id}, 'b')", request)) {
                assertThat(means).as(request.path().raw()).isTrue();
            }
        }
        assertThat(same).isBetween(1_000, 90_000);
    }
}
