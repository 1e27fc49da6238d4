package org.restheart.security.apikey;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.restheart.bson.BsonTexts;
import org.restheart.http.Network;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.realm.Generations.KeyLimits;
import org.restheart.security.realm.Realm;

/// The stored record of a key, without the key itself. Immutable.
///
/// @param hint its first characters, for lists
/// @param identity of that account, which no other account of its name has
/// @param roles its roles; empty for all roles of the account
/// @param from address ranges it may be used from; empty for any
public record ApiKey(
        String digest,
        ObjectId handle,
        String hint,
        String account,
        String identity,
        Optional<List<String>> roles,
        String name,
        Instant createdAt,
        String createdBy,
        Optional<Instant> lastUsedAt,
        Optional<Instant> expiresAt,
        boolean disabled,
        List<String> from) {
    private static final Pattern RANGE =
            Pattern.compile("([0-9]{1,3}(\\.[0-9]{1,3}){3}|(?=.*:)[0-9a-fA-F:.]{2,45})(/[0-9]{1,3})?");

    /// Empty for a document that is not a key.
    public static Optional<ApiKey> of(BsonDocument stored) {
        if (!(stored.get("_id") instanceof BsonString digest)
                || !(stored.get("handle") instanceof BsonObjectId handle)
                || !(stored.get("account") instanceof BsonString account)) {
            return Optional.empty();
        }
        return Optional.of(new ApiKey(
                digest.getValue(),
                handle.getValue(),
                BsonTexts.of(stored, "hint").orElse(""),
                account.getValue(),
                BsonTexts.of(stored, "identity").orElse(""),
                Optional.ofNullable(stored.get("roles")).map(BsonTexts::among), // of another value none
                BsonTexts.of(stored, "name").orElse(""),
                time(stored, "createdAt").orElse(Instant.EPOCH),
                BsonTexts.of(stored, "createdBy").orElse(""),
                time(stored, "lastUsedAt"),
                time(stored, "expiresAt"),
                stored.get("disabled") instanceof BsonBoolean disabled && disabled.getValue(),
                BsonTexts.among(stored.get("from"))));
    }

    private static Optional<Instant> time(BsonDocument stored, String name) {
        return stored.get(name) instanceof BsonDateTime time
                ? Optional.of(Instant.ofEpochMilli(time.getValue()))
                : Optional.empty();
    }

    public BsonDocument toDocument() {
        var document = new BsonDocument("_id", new BsonString(digest));
        document.putAll(toShow());
        document.append("handle", new BsonObjectId(handle));
        document.append("identity", new BsonString(identity));
        expiresAt.ifPresent(time -> document.append("expiresAt", new BsonDateTime(time.toEpochMilli())));
        document.append("createdAt", new BsonDateTime(createdAt.toEpochMilli()));
        return document;
    }

    /// The form shown to clients: without the digest.
    BsonDocument toShow() {
        var document = new BsonDocument("handle", new BsonString(handle.toHexString()))
                .append("name", new BsonString(name))
                .append("hint", new BsonString(hint))
                .append("account", new BsonString(account));
        roles.ifPresent(list -> document.append("roles", BsonTexts.array(list)));
        document.append("createdAt", new BsonString(createdAt.toString()))
                .append("createdBy", new BsonString(createdBy));
        lastUsedAt.ifPresent(time -> document.append("lastUsedAt", new BsonString(time.toString())));
        expiresAt.ifPresent(time -> document.append("expiresAt", new BsonString(time.toString())));
        document.append("disabled", BsonBoolean.valueOf(disabled));
        if (!from.isEmpty()) {
            document.append("from", BsonTexts.array(from));
        }
        return document;
    }

    /// Whether it was issued for this account, and not for one of the same name before it.
    boolean isOf(Realm.Identified owner) {
        return account.equals(owner.account().name())
                && owner.identity().filter(identity::equals).isPresent();
    }

    boolean isUsable(Instant now) {
        return !disabled && expiresAt.filter(end -> !end.isAfter(now)).isEmpty();
    }

    boolean isUsableFrom(Request request) {
        return from.isEmpty()
                || from.stream()
                        .flatMap(range -> range(range).stream())
                        .anyMatch(range ->
                                range.contains(request.connection().peer().getAddress()));
    }

    /// The account with those of the key's roles that it still has.
    Account limited(Account owner) {
        return roles.map(owner::limitedTo).orElse(owner);
    }

    /// A range of IP addresses in CIDR notation (RFC 4632, 3.1); empty for anything else. Names are never looked
    /// up: letters are part of an address only beside a colon. Four numbers, since shorter forms are read
    /// differently by different programs.
    static Optional<Network> range(String text) {
        try {
            return RANGE.matcher(text).matches() ? Optional.of(Network.parse(text)) : Optional.empty();
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// The store of keys. Thread-safe; all methods may block.
    public interface ApiKeys extends KeyLimits {
        /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now
        Optional<ApiKey> find(Request request, String digest);

        /// As [#find(Request, String)], by the key's handle.
        Optional<ApiKey> find(Request request, ObjectId handle);

        /// For tokens of sessions that were begun with a key: they end with it, and are valid only from
        /// addresses from which it is.
        @Override
        default Optional<Account> limited(Request request, String handle, Account account) {
            if (!ObjectId.isValid(handle)) {
                return Optional.empty();
            }
            return find(request, new ObjectId(handle))
                    .filter(key -> key.account().equals(account.name()))
                    .filter(key -> key.isUsable(Instant.now()) && key.isUsableFrom(request))
                    .map(key -> key.limited(account));
        }

        /// @return false if there is such a key
        boolean insert(ApiKey key);

        Optional<ApiKey> byHandle(ObjectId handle);

        /// Keys of accounts of one name, or all, by creation time; at most a few thousand.
        List<ApiKey> list(Optional<String> account);

        /// How many keys accounts of one name have, those included that this and other servers have
        /// inserted before.
        long count(String account);

        void update(ApiKey key, BsonDocument changes);

        void delete(ApiKey key);

        /// Records the use of a key; does not block, and not every use is recorded.
        void used(ApiKey key, Instant at);
    }
}
