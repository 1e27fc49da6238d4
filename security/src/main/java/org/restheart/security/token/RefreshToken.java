package org.restheart.security.token;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.http.Request;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.Credentials.Origin;

/// The stored record of a refresh token, without the token itself. Immutable.
///
/// @param lineage of the session; empty for an account of another issuer
/// @param roles of an account of another issuer; those of others are looked up
/// @param claims of an account of another issuer
/// @param address of the client, for an anonymous session
public record RefreshToken(
        String digest,
        String account,
        Optional<Lineage> lineage,
        List<String> roles,
        BsonDocument claims,
        Optional<String> address,
        Instant createdAt,
        Instant expiresAt) {

    /// The store of refresh tokens. Thread-safe; all methods block.
    public interface Store {
        /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now
        Optional<RefreshToken> find(Request request, String digest);

        /// Stores a token. An account has a bounded number of them: beyond, its oldest is deleted.
        void insert(RefreshToken token);

        void delete(String digest);

        void deleteOf(String lineage);
    }

    /// Empty for a document that is not a refresh token.
    public static Optional<RefreshToken> of(BsonDocument stored) {
        return stored.get("_id") instanceof BsonString digest
                        && stored.get("account") instanceof BsonString account
                        && stored.get("createdAt") instanceof BsonDateTime created
                        && stored.get("expiresAt") instanceof BsonDateTime expires
                ? Optional.of(new RefreshToken(
                        digest.getValue(),
                        account.getValue(),
                        lineage(stored),
                        BsonTexts.among(stored.get("roles")),
                        stored.getDocument("claims", new BsonDocument()),
                        BsonTexts.of(stored, "address"),
                        Instant.ofEpochMilli(created.getValue()),
                        Instant.ofEpochMilli(expires.getValue())))
                : Optional.empty();
    }

    private static Optional<Lineage> lineage(BsonDocument stored) {
        return stored.get("session") instanceof BsonString id
                        && stored.get("realm") instanceof BsonString realm
                        && stored.get("generation") instanceof BsonString generation
                ? Optional.of(new Lineage(id.getValue(), realm.getValue(), generation.getValue(), origin(stored)))
                : Optional.empty();
    }

    private static Origin origin(BsonDocument stored) {
        return stored.containsKey("address")
                ? new Origin.Nothing()
                : BsonTexts.of(stored, "apiKey").<Origin>map(Origin.ApiKey::new).orElseGet(Origin.Password::new);
    }

    public BsonDocument toDocument() {
        var document = new BsonDocument("_id", new BsonString(digest)).append("account", new BsonString(account));
        lineage.ifPresentOrElse(
                known -> {
                    document.append("session", new BsonString(known.id()))
                            .append("realm", new BsonString(known.source()))
                            .append("generation", new BsonString(known.generation()));
                    known.apiKey().ifPresent(handle -> document.append("apiKey", new BsonString(handle)));
                },
                () -> document.append("roles", BsonTexts.array(roles)).append("claims", claims));
        address.ifPresent(text -> document.append("address", new BsonString(text)));
        return document.append("createdAt", new BsonDateTime(createdAt.toEpochMilli()))
                .append("expiresAt", new BsonDateTime(expiresAt.toEpochMilli()));
    }
}
