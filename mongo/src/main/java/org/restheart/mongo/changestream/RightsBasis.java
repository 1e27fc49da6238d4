package org.restheart.mongo.changestream;

/// What the authorization of a response that stays open rests on, and what is reported when it may have changed.
public sealed interface RightsBasis {
    /// A stored account.
    ///
    /// @param name as its credentials or the subject of its token say it
    record OfAccount(String name) implements RightsBasis {}

    /// A token.
    ///
    /// @param id its own, or that of the log-in from which it was derived
    record OfToken(String id) implements RightsBasis {}

    /// API keys. Changes of one are reported for all: they tell only its digest.
    record OfKeys() implements RightsBasis {}
}
