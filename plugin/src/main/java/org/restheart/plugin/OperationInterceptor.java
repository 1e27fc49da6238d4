package org.restheart.plugin;

import org.restheart.http.Request;
import org.restheart.http.access.DataTarget;

/// Decides about an operation on data that access rules allow, whichever way in it comes. It can only
/// tighten that: see [Verdict]. The gateway's own guards, of accounts and permissions for example, judge
/// what it has made of the request.
@FunctionalInterface
public interface OperationInterceptor {
    /// @param request with its [caller][Request#caller()], whose grant is what the rules allow. Its content
    ///     is `request.require(RequestContent.KEY).value()`; change a copy (`RawDocuments.toTree`)
    /// @param target the namespace, the id and the operation
    /// @throws org.restheart.http.ProblemException to refuse it
    Verdict judge(Request request, DataTarget target) throws Exception;
}
