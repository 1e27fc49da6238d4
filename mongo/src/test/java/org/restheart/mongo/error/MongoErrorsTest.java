package org.restheart.mongo.error;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ServerId;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Failures of the driver that are to be had only in the moment of a fault.
class MongoErrorsTest {
    static Stream<MongoException> lostServers() {
        return Stream.of(
                new MongoConnectionPoolClearedException(new ServerId(new ClusterId(), new ServerAddress()), null),
                new MongoInterruptedException("Interrupted while receiving message", null),
                new MongoCommandException(
                        BsonDocument.parse(
                                "{ok: 0, code: 999999, errmsg: 'new', errorLabels: ['RetryableWriteError']}"),
                        new ServerAddress()));
    }

    @ParameterizedTest
    @MethodSource("lostServers")
    void a_lost_server_may_be_back_soon(MongoException failure) {
        assertThat(MongoErrors.toProblem(failure)).hasValueSatisfying(problem -> {
            assertThat(problem.status()).isEqualTo(503);
            assertThat(problem.headers().first("Retry-After")).isPresent();
        });
    }
}
