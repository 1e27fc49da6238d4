package org.restheart.mongo.error;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.WriteError;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// MongoDB's error codes as clients see them. Some are not to be had from a server on its own: those of shards, of
/// MongoDB's users and of transactions.
class MongoCodesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2 | 400 | Invalid query parameter: text",
                "51091 | 400 | Invalid query parameter: text",
                "51108 | 400 | Invalid query parameter: text",
                "31249 | 400 | Invalid query parameter: text",
                "168 | 400 | Invalid query parameter: text",
                "17276 | 400 | Invalid query parameter: text",
                "31254 | 400 | Invalid query parameter: text",
                "31253 | 400 | Keys projection cannot have a mix of inclusion and exclusion",
                "17287 | 400 | Keys projection cannot have a mix of inclusion and exclusion",
                "15974 | 400 | Invalid sort parameter",
                "17312 | 400 | Invalid sort parameter",
                "61 | 400 | Write requires the shard key: pass it with the shardkey query parameter",
                "66 | 403 | Update tried to change the immutable shardkey",
                "73 | 400 | Invalid database name",
                "121 | 400 | Document failed validation",
                "112 | 409 | Write conflict inside transaction",
                "225 | 400 | The given transaction is not in-progress",
                "251 | 400 | The given transaction is not in-progress",
                "256 | 400 | The given transaction is not in-progress",
                "13297 | 409 | Db already exists with different case",
                "13 | 403 | The MongoDB user does not have enough permissions",
                "18 | 503 | MongoDB does not accept the credentials of this server",
                "4711 | 500 | 'Error handling the request, see log for more information'"
            })
    void a_code_has_its_status_and_message(int code, int status, String message) {
        assertThat(MongoCodes.ofCode(code, "text")).satisfies(problem -> {
            assertThat(problem.status()).isEqualTo(status);
            assertThat(problem.message()).isEqualTo(message);
        });
    }

    @ParameterizedTest
    @CsvSource({"15975", "31138", "56", "40353", "40352", "15998", "16410", "40323", "241", "14", "9", "40", "52"})
    void what_a_client_got_wrong_is_a_bad_request(int code) {
        assertThat(MongoCodes.ofCode(code, "text").status()).isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unknown operator: $x | unknown operator: $x",
                "Invalid $project :: caused by :: Unknown expression $x | Invalid $project :: caused by :: Unknown"
                        + " expression $x",
                "PlanExecutor error during aggregation :: caused by :: Invalid $set :: caused by :: no"
                        + " | PlanExecutor error during aggregation :: caused by :: Invalid $set :: caused by :: no",
                "error processing query: ns=db.c Tree: owner $eq 'ada' :: caused by :: No query solutions | No query"
                        + " solutions",
                "Executor error during find command: db.c :: caused by :: no | no",
                "Invalid $x secret :: caused by :: Invalid $project :: caused by :: no | Invalid $project :: caused by"
                        + " :: no"
            })
    void of_what_stands_before_a_reason_only_constants_are_kept(String message, String reason) {
        assertThat(MongoCodes.reason(message)).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "8 | WiredTigerRecordStore::insertRecord 28: No space left on device | 503",
                "14031 | text | 503",
                "8 | text | 500"
            })
    void a_full_disk_is_unavailable(int code, String message, int status) {
        assertThat(MongoCodes.ofWriteError(code, message).status()).isEqualTo(status);
    }

    /// Network, locks, elections, shutdowns, interrupted operations; reported for a command and for one statement of
    /// it.
    @ParameterizedTest
    @ValueSource(
            ints = {
                6, 7, 24, 64, 89, 91, 133, 134, 189, 202, 262, 281, 317, 9001, 10058, 10107, 11600, 11601, 11602, 13435,
                13436
            })
    void what_may_work_soon_is_unavailable(int code) {
        assertThat(List.of(
                        MongoCodes.ofCode(code, "text"),
                        MongoCodes.ofCommandError(code, "text"),
                        MongoCodes.ofWriteError(code, "text")))
                .allSatisfy(problem -> {
                    assertThat(problem.status()).isEqualTo(503);
                    assertThat(problem.headers().first("Retry-After")).isPresent();
                    assertThat(problem.message()).doesNotContain("text");
                });
    }

    /// MongoDB's text has the value too, which a client chooses.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "db.c index: _id_ dup key: { _id: 1 } | true",
                "db.c index: _id_ collation: { locale: 'de' } dup key: { _id: 1 } | true",
                "db.c index: _id_ | true",
                "db.c index: n_1 dup key: { n: 1 } | false",
                "db.c index: n_1 dup key: { n: ' index: _id_ ' } | false",
                "db.c index: n_1 dup key: { n: ' index: _id_ dup key: ' } | false",
                "db.c index: a_id_ dup key: { n: 1 } | false",
            })
    void a_duplicate_id_is_told_from_other_duplicate_keys(String text, boolean isId) {
        var error = new WriteError(11000, "E11000 duplicate key error collection: " + text, new BsonDocument());
        assertThat(MongoCodes.isDuplicateId(error)).isEqualTo(isId);
        assertThat(MongoCodes.isDuplicateId(new WriteError(8, error.getMessage(), new BsonDocument())))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"11000", "11001"})
    void a_duplicate_key_is_a_conflict(int code) {
        var problem =
                MongoCodes.ofCode(code, "E11000 duplicate key error collection: db.c index: _id_ dup key: { _id: 1 }");
        assertThat(problem.status()).isEqualTo(409);
        assertThat(problem.message()).startsWith("Duplicate key error");
    }
}
