package org.restheart.security.users;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.http.Nearest;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.security.realm.UsersCollection;

/// Refuses accounts whose properties are misspelt or have the wrong type: no client could log in with them, or their
/// password would be stored as plain text.
final class AccountShape {
    /// A name at this edit distance or less counts as misspelt; others, such as `passwordHint`, are allowed.
    private static final int MAX_DISTANCE = 2;

    /// What passwords are called elsewhere.
    private static final Set<String> PASSWORDS = Set.of("pwd", "pass", "passwd", "passphrase");

    private static final String FILE_NAME = "userid";

    private final UsersCollection users;
    private final Set<String> meant = new TreeSet<>();

    AccountShape(UsersCollection users) {
        this.users = users;
        meant.add(users.passwordProperty());
        users.roles().property().ifPresent(meant::add);
    }

    private static Stream<BsonDocument> documents(BsonValue content) {
        return switch (content) {
            case BsonArray array -> array.stream().flatMap(AccountShape::documents);
            case BsonDocument document -> Stream.of(document);
            default -> Stream.empty(); // refused elsewhere
        };
    }

    /// Checks documents and changes of documents; of update operators only `$set` and `$setOnInsert`.
    ///
    /// @throws ProblemException 400 naming the first property
    void require(BsonValue content) {
        documents(content)
                .forEach(document -> document.forEach((key, value) -> {
                    if (!key.startsWith("$")) {
                        require(key, value);
                    } else if (key.equals("$set") || key.equals("$setOnInsert")) {
                        require(value);
                    }
                }));
    }

    private void require(String key, BsonValue value) {
        if (key.contains(".")) {
            return;
        }
        if (meant.contains(key)) {
            if (!key.equals(users.passwordProperty()) && BsonTexts.only(value).isEmpty()) {
                throw refusal(key + " must be a list of texts, such as [\"editor\"]");
            }
            return;
        }
        if (PASSWORDS.contains(key.toLowerCase(Locale.ROOT))) {
            throw refusal(key + " has no meaning for accounts; did you mean " + users.passwordProperty() + "?");
        }
        Nearest.to(key, meant)
                .filter(near -> Nearest.distance(key, near) <= MAX_DISTANCE || key.equalsIgnoreCase(near))
                .ifPresent(near -> {
                    throw refusal(key + " has no meaning for accounts; did you mean " + near + "?");
                });
    }

    /// Checks the names of new accounts: `userid` is what files call them.
    ///
    /// @throws ProblemException 400
    void requireName(BsonValue content) {
        if (documents(content)
                .anyMatch(account -> account.containsKey(FILE_NAME) && !account.containsKey(users.nameProperty()))) {
            throw refusal(FILE_NAME + " is for files; here the name of an account is " + users.nameProperty());
        }
    }

    /// Whether one of the documents is a new account without a password.
    boolean lacksPassword(BsonValue content) {
        return documents(content).anyMatch(account -> !account.containsKey(users.passwordProperty()));
    }

    /// Whether one of the documents is an account with which no client can log in, since its name is no text, or has a
    /// colon, which ends the name in the header `Authorization`.
    ///
    /// @param id in the path; empty if the documents have their own
    boolean lacksUsableName(BsonValue content, Optional<BsonValue> id) {
        var inPath = id.filter(_ -> users.nameProperty().equals("_id"));
        return documents(content)
                .anyMatch(account -> !(inPath.orElse(account.get(users.nameProperty())) instanceof BsonString name)
                        || name.getValue().isEmpty()
                        || name.getValue().contains(":"));
    }

    private static ProblemException refusal(String why) {
        return new ProblemException(ProblemCode.CONTENT_INVALID, why);
    }
}
