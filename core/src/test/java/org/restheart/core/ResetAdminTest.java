package org.restheart.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.Launch.Outcome;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class ResetAdminTest {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Outcome reset(TestMongo mongo, String database, String more) {
        return new Launch(
                        Map.of(
                                "RHO",
                                "/mclient/connection-string -> '" + mongo.connectionString()
                                        + "'; /logging/log-to-console -> false; /mongoRealmAuthenticator/bcrypt-complexity -> 4;"
                                        + " /mongoRealmAuthenticator/users-db -> '" + database + "'" + more),
                        folder,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        Instant.now())
                .run("--reset-admin");
    }

    @Test
    void an_account_that_may_manage_is_made_or_armed_again(TestMongo mongo) {
        var database = mongo.newDatabaseName();
        var users = mongo.client().getDatabase(database).getCollection("users");
        for (var present : List.of(false, true)) {
            if (present) {
                users.updateOne(
                        new Document("_id", "admin"),
                        new Document(
                                "$set",
                                new Document("roles", List.of())
                                        .append("password", "x")
                                        .append("a", 1)));
            }
            out.reset();
            assertThat(reset(mongo, database, "")).as(err.toString(UTF_8)).isEqualTo(new Outcome.Done(0));
            var told = Pattern.compile("The account admin has the role admin and the password (\\S+)")
                    .matcher(out.toString(UTF_8));
            assertThat(told.find()).isTrue();
            var stored = users.find(new Document("_id", "admin")).first();
            assertThat(stored).containsEntry("roles", List.of("admin"));
            assertThat(BCrypt.verifyer().verify(told.group(1).toCharArray(), stored.getString("password")).verified)
                    .isTrue();
        }
        assertThat(users.find().first()).containsEntry("a", 1);
    }

    @Test
    void where_accounts_are_elsewhere_nothing_is_made(TestMongo mongo) {
        var database = mongo.newDatabaseName();
        assertThat(reset(mongo, database, "; /mongoAclAuthorizer/root-role -> null"))
                .isEqualTo(new Outcome.Done(255));
        assertThat(err.toString(UTF_8)).contains("mongoAclAuthorizer has no root-role");
        assertThat(mongo.client().getDatabase(database).listCollectionNames()).isEmpty();
    }

    @Test
    void a_deployment_that_does_not_answer_is_named() {
        var outcome = new Launch(
                        Map.of("RHO", "/logging/log-to-console -> false"),
                        folder,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        Instant.now())
                .run("--reset-admin", "--mongo", "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=500");
        assertThat(outcome).isEqualTo(new Outcome.Done(254));
        assertThat(err.toString(UTF_8))
                .contains("MongoDB does not answer at 127.0.0.1:1 (Connection refused). Start it, or correct");
    }
}
