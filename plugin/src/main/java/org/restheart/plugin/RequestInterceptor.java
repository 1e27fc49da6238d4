package org.restheart.plugin;

import org.restheart.http.Request;
import org.restheart.http.Response;

/// A step around requests before anybody knows who sends them. It may change what is asked
/// ([Request#with]): method, path below that of the service, parameters, headers, content, credentials. It
/// may answer itself, and change the answer: also a refusal (401, 403, 429). What it passes on is judged as
/// if the client had sent it.
@FunctionalInterface
public interface RequestInterceptor {
    /// Hands the request, or another one, to `next`, and returns that answer or another one. Of two streamed responses,
    /// the one that is replaced has to be [abandoned][org.restheart.http.Content#abandon()].
    ///
    /// @throws org.restheart.http.ProblemException to refuse it
    Response.Ready around(Request request, Next next) throws Exception;

    /// The rest of the way.
    @FunctionalInterface
    interface Next {
        /// Returns when there is an answer. Refusals and failures are answers, too.
        Response.Ready handle(Request request);
    }
}
