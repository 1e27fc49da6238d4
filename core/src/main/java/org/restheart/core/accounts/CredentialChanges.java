package org.restheart.core.accounts;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.http.Request;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.rest.changestream.Reauthorization.AuthorizationBasis;
import org.restheart.security.Credentials;
import org.restheart.security.jwt.Claims;

/// Reports that accounts, API keys or tokens may have changed or ended, to an observer with responses open for
/// them. Thread-safe.
final class CredentialChanges {
    /// How often anything may have changed where no change stream tells.
    private static final Duration UNFOLLOWED = Duration.ofSeconds(60);

    private final List<Reporter> reporters = new CopyOnWriteArrayList<>();
    private volatile Consumer<Optional<AuthorizationBasis>> watcher = _ -> {};

    CredentialChanges(BackgroundTasks tasks) {
        tasks.repeat("unfollowed-credentials", UNFOLLOWED, () -> {
            if (reporters.stream().anyMatch(reporter -> !reporter.followed)) {
                anyChanged();
            }
        });
    }

    void watch(Consumer<Optional<AuthorizationBasis>> receiver) {
        watcher = receiver;
    }

    void anyChanged() {
        watcher.accept(Optional.empty());
    }

    void changed(AuthorizationBasis basis) {
        watcher.accept(Optional.of(basis));
    }

    /// The account of this name may have changed, or something that only it has.
    void accountChanged(String name) {
        changed(new AuthorizationBasis.OfAccount(name));
    }

    void keyChanged() {
        changed(new AuthorizationBasis.OfKeys());
    }

    void tokenRevoked(String id) {
        changed(new AuthorizationBasis.OfToken(id));
    }

    /// What the rights of a request depend on. The account of a token may have another name than its realm uses: the
    /// claim `sub` is one of its names, too.
    static Set<AuthorizationBasis> bases(Request request) {
        var bases = new HashSet<AuthorizationBasis>();
        request.caller().account().ifPresent(account -> {
            bases.add(new AuthorizationBasis.OfAccount(account.name()));
            new Claims(account.claims())
                    .text("sub")
                    .map(AuthorizationBasis.OfAccount::new)
                    .ifPresent(bases::add);
        });
        request.attribute(Credentials.KEY).ifPresent(credentials -> {
            if (credentials.isApiKey()) {
                bases.add(new AuthorizationBasis.OfKeys());
            }
            credentials.token().ifPresent(token -> {
                token.id().map(AuthorizationBasis.OfToken::new).ifPresent(bases::add);
                token.lineage()
                        .map(Credentials.Lineage::id)
                        .map(AuthorizationBasis.OfToken::new)
                        .ifPresent(bases::add);
            });
        });
        return bases;
    }

    /// The listener to changes of the collection of accounts.
    ///
    /// @param byId whether an account's name is its `_id`
    CollectionFollower.Listener ofAccounts(boolean byId) {
        return new Reporter(id -> id.filter(_ -> byId).map(AuthorizationBasis.OfAccount::new));
    }

    CollectionFollower.Listener ofKeys() {
        return new Reporter(_ -> Optional.of(new AuthorizationBasis.OfKeys()));
    }

    CollectionFollower.Listener ofRevocations() {
        return new Reporter(id -> id.map(AuthorizationBasis.OfToken::new));
    }

    private final class Reporter implements CollectionFollower.Listener {
        private final Function<Optional<String>, Optional<AuthorizationBasis>> basis;
        private volatile boolean followed;

        /// @param basis of a document that has changed, by its id if that is known and a string
        Reporter(Function<Optional<String>, Optional<AuthorizationBasis>> basis) {
            this.basis = basis;
            reporters.add(this);
        }

        @Override
        public void followed() {
            followed = true;
            anyChanged(); // changes may have been missed
        }

        @Override
        public void lost() {
            followed = false;
        }

        @Override
        public void changed(@Nullable BsonDocument id) {
            watcher.accept(basis.apply(Optional.ofNullable(id).flatMap(key -> BsonTexts.of(key, "_id"))));
        }

        /// Where changes are followed this one is reported soon, with its id.
        @Override
        public void written() {
            if (!followed) {
                anyChanged();
            }
        }
    }
}
