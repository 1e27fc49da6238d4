package org.restheart.core.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCredential;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerConnectionState;
import com.mongodb.connection.ServerDescription;
import java.net.ConnectException;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsersAtStartTest {
    private static final ClusterDescription AWAY = new ClusterDescription(
            ClusterConnectionMode.SINGLE,
            ClusterType.UNKNOWN,
            List.of(ServerDescription.builder()
                    .state(ServerConnectionState.CONNECTING)
                    .address(new ServerAddress("db.example", 27018))
                    .exception(new MongoSocketOpenException(
                            "Exception opening socket",
                            new ServerAddress("db.example", 27018),
                            new ConnectException("Connection refused")))
                    .build()));

    @Test
    void a_wrong_password_is_not_taken_for_a_deployment_that_is_away() {
        var credential = MongoCredential.createCredential("gateway", "admin", "wrong".toCharArray());
        assertThat(UsersAtStart.reason(new MongoSecurityException(credential, "Exception authenticating"), AWAY))
                .startsWith("MongoDB does not accept the account or the password");
    }

    @Test
    void a_deployment_that_is_away_is_named_with_what_the_system_said_and_what_can_be_done() {
        assertThat(UsersAtStart.reason(new MongoTimeoutException("no server"), AWAY))
                .startsWith("MongoDB does not answer at db.example:27018 (Connection refused). Start it, or correct")
                .contains("/mclient/connection-string", "nobody can sign in", "503");
    }
}
