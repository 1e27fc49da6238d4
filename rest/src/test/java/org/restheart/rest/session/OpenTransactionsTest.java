package org.restheart.rest.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.restheart.http.ProblemException;

/// Transactions are counted whatever the order in which concurrent requests of one session notice what MongoDB did.
class OpenTransactionsTest {
    private static final BsonDocument FIRST = new BsonDocument("id", new BsonString("first"));
    private static final BsonDocument SECOND = new BsonDocument("id", new BsonString("second"));

    private final OpenTransactions open = new OpenTransactions(new Sessions.Limits(2, 1, 10), _ -> true);

    private void begin(BsonDocument session, long number) {
        open.begin("ada", session, number);
    }

    private void assertFull() {
        assertThatThrownBy(() -> begin(SECOND, 1)).isInstanceOf(ProblemException.class);
    }

    private void assertEmpty() {
        assertThat(open.latest(FIRST)).isEmpty();
        begin(SECOND, 1);
    }

    @Test
    void the_end_of_an_earlier_transaction_does_not_end_a_later_one() {
        begin(FIRST, 1);
        open.begun(FIRST, 1, true);
        open.ended(FIRST, 1);
        begin(FIRST, 2);
        open.ended(FIRST, 1);
        assertFull();
        open.begun(FIRST, 2, true);
        open.ended(FIRST, 1);
        assertFull();
        assertThat(open.latest(FIRST)).contains(2L);
        open.ended(FIRST, 2);
        assertEmpty();
    }

    @Test
    void a_transaction_takes_the_place_of_the_one_before_it() {
        begin(FIRST, 1);
        open.begun(FIRST, 1, true);
        begin(FIRST, 2);
        open.begun(FIRST, 2, true);
        assertFull();
        open.ended(FIRST, 2);
        assertEmpty();
    }

    @Test
    void of_requests_that_begin_the_same_transaction_one_that_fails_does_not_end_the_count() {
        begin(FIRST, 1);
        begin(FIRST, 1);
        open.begun(FIRST, 1, false);
        assertFull();
        open.begun(FIRST, 1, true);
        assertFull();
        open.ended(FIRST, 1);
        assertEmpty();
    }

    @Test
    void a_transaction_that_no_request_has_begun_is_not_counted() {
        begin(FIRST, 1);
        begin(FIRST, 1);
        open.begun(FIRST, 1, false);
        open.begun(FIRST, 1, false);
        assertEmpty();
    }

    @Test
    void the_end_of_a_session_leaves_what_a_request_is_about_to_begin() {
        begin(FIRST, 1);
        assertThat(open.latest(FIRST)).isEmpty();
        open.begun(FIRST, 1, true);
        assertThat(open.latest(FIRST)).contains(1L);
        begin(FIRST, 1);
        open.ended(FIRST, 1);
        assertFull();
        open.begun(FIRST, 1, false);
        assertEmpty();
    }
}
