package org.restheart.graphql;

import org.restheart.http.push.Ending;

/// Why a subscription is not executed for an event, and ends.
final class SubscriptionEnded extends Exception {
    private static final long serialVersionUID = 1;

    private final Ending why;

    SubscriptionEnded(Ending why) {
        super(why.reason(), null, false, false);
        this.why = why;
    }

    Ending why() {
        return why;
    }
}
