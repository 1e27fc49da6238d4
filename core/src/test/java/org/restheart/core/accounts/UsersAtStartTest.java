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
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.restheart.core.accounts.StoredSecurity.UsersAtStart;

class UsersAtStartTest {
    private static final ClusterDescription AWAY = away(new ConnectException("Connection refused"));

    private static ClusterDescription away(IOException cause) {
        var address = new ServerAddress("db.example", 27018);
        return new ClusterDescription(
                ClusterConnectionMode.SINGLE,
                ClusterType.UNKNOWN,
                List.of(ServerDescription.builder()
                        .state(ServerConnectionState.CONNECTING)
                        .address(address)
                        .exception(new MongoSocketOpenException("Exception opening socket", address, cause))
                        .build()));
    }

    @Test
    void a_name_without_an_address_and_a_failed_handshake_are_told_apart() {
        var timeout = new MongoTimeoutException("no server");
        assertThat(UsersAtStart.reason(timeout, away(new UnknownHostException("db.example")), true))
                .contains("at db.example:27018 (this name has no address)");
        assertThat(UsersAtStart.reason(timeout, away(new SSLException("Unsupported message")), true))
                .contains("at db.example:27018 (TLS: Unsupported message)");
    }

    @Test
    void a_wrong_password_is_not_taken_for_a_deployment_that_is_away() {
        var credential = MongoCredential.createCredential("gateway", "admin", "wrong".toCharArray());
        assertThat(UsersAtStart.reason(new MongoSecurityException(credential, "Exception authenticating"), AWAY, true))
                .startsWith("MongoDB does not accept the account or the password");
    }

    @Test
    void a_deployment_that_is_away_is_named_with_what_the_system_said_and_what_can_be_done() {
        assertThat(UsersAtStart.reason(new MongoTimeoutException("no server"), AWAY, true))
                .startsWith("MongoDB does not answer at db.example:27018 (Connection refused). Start it, or correct")
                .contains("/mclient/connection-string", "nobody can sign in", "503");
    }
}
