package org.restheart.core.accounts;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.BackgroundTasks;

/// Reports that stored accounts may have changed to who keeps responses open for them. Thread-safe.
final class AccountChanges {
    /// How often any account may have changed where no change stream tells.
    private static final Duration UNFOLLOWED = Duration.ofSeconds(60);

    private volatile Consumer<Optional<String>> watcher = _ -> {};
    private volatile boolean followed;

    AccountChanges(BackgroundTasks tasks) {
        tasks.repeat("unfollowed-accounts", UNFOLLOWED, () -> {
            if (!followed) {
                report(Optional.empty());
            }
        });
    }

    void watch(Consumer<Optional<String>> receiver) {
        watcher = receiver;
    }

    private void report(Optional<String> name) {
        watcher.accept(name);
    }

    /// Of the collection of accounts.
    ///
    /// @param byId whether an account's name is its `_id`
    CollectionFollower.Listener named(boolean byId) {
        return new CollectionFollower.Listener() {
            @Override
            public void followed() {
                followed = true;
                report(Optional.empty()); // changes may have been missed
            }

            @Override
            public void lost() {
                followed = false;
            }

            @Override
            public void changed(@Nullable BsonDocument id) {
                report(
                        byId && id != null && id.get("_id") instanceof BsonString name
                                ? Optional.of(name.getValue())
                                : Optional.empty());
            }

            @Override
            public void written() {} // its change is reported soon, by name
        };
    }
}
