package org.restheart.core.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCredential;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import org.junit.jupiter.api.Test;

class UsersAtStartTest {
    @Test
    void a_wrong_password_is_not_taken_for_a_deployment_that_is_away() {
        var credential = MongoCredential.createCredential("gateway", "admin", "wrong".toCharArray());
        assertThat(UsersAtStart.reason(new MongoSecurityException(credential, "Exception authenticating")))
                .startsWith("MongoDB does not accept the account or the password");
        assertThat(UsersAtStart.reason(new MongoTimeoutException("no server"))).startsWith("MongoDB does not answer");
    }
}
