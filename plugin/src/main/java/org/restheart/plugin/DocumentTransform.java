package org.restheart.plugin;

import org.bson.BsonDocument;
import org.restheart.http.Request;

/// Changes documents on their way out: one that is read, those of a list, of an export, or that a request
/// embeds, and the results of pipelines, in every format. Change streams and violations of what it is for are
/// refused, and so is what GraphQL reads as the caller. It is no access rule: filters, sorts and pipelines see
/// what is stored; what callers must not learn is hidden by [Verdict#hide].
@FunctionalInterface
public interface DocumentTransform {
    /// Has no effects: it may be asked more than once for one answer.
    ///
    /// @param document without what the caller may not see; a copy, which may be changed
    /// @param request that reads it, with its [caller][Request#caller()]
    /// @return what is sent in its place
    BsonDocument apply(BsonDocument document, Request request) throws Exception;
}
