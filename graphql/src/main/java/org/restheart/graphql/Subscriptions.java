package org.restheart.graphql;

import java.util.Map;
import java.util.Optional;
import org.restheart.bson.JsonParser;
import org.restheart.graphql.GraphqlService.SubscriptionObserver;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.SubscriptionRoot.SourceEvent;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.Body;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Subscription;
import org.restheart.mongo.changestream.AuthorizationWatch;

/// Starts operations that may be subscriptions. Thread-safe.
record Subscriptions(
        QueryRunner runner,
        SourceAccess access,
        AppCatalog catalog,
        SubscriptionObserver observer,
        AuthorizationWatch authorizations) {

    /// Executes the operation; if it is a subscription, its source stream is opened, and it is executed for each event.
    ///
    /// @param resumeAfter as [SourceAccess#open]
    OperationResult start(Request request, AppCatalog.Served served, QueryRequest asked, Optional<String> resumeAfter) {
        var opening = access.new Opening(request, resumeAfter);
        boolean started = false;
        try {
            var outcome = runner.run(request, served.app(), asked, opening, Map.of());
            if (opening.opened().isEmpty()) {
                return outcome;
            }
            // its operation has been reported
            var later = request.blocking().with(Body.EMPTY).with(NamedOperation.OBSERVER, _ -> {});
            var open = new OperationResult.OpenSubscription(
                    opening.opened().get(), event -> next(later, served, asked, event));
            started = true;
            return open;
        } finally {
            if (!started) {
                opening.opened().ifPresent(Subscription::end);
            }
        }
    }

    /// With the account as it is at the event, of which both access rules and mappings take values.
    private QueryOutcome next(Request request, AppCatalog.Served served, QueryRequest asked, SourceEvent event)
            throws ResponseStream.SubscriptionEnded {
        if (!isServed(served)) {
            throw new ResponseStream.SubscriptionEnded(Ending.REDEFINED);
        }
        var current = authorizations
                .current(request)
                .orElseThrow(() -> new ResponseStream.SubscriptionEnded(Ending.PERMISSION_LOST));
        Map<String, ?> extensions =
                asked.resumeAfter().isPresent() ? Map.of("resumeToken", JsonParser.parse(event.token())) : Map.of();
        return runner.run(current, served.app(), asked, event, extensions);
    }

    /// Whether the request that opened a WebSocket would be admitted now. May block.
    boolean isAdmitted(Request request) {
        return authorizations.admits(request);
    }

    /// Whether the definition is unchanged.
    boolean isServed(AppCatalog.Served served) {
        try {
            return catalog.find(served.location())
                    .filter(app -> app.stored().equals(served.app().stored()))
                    .isPresent();
        } catch (InvalidApp _) {
            return false;
        }
    }
}
