package org.restheart.http.judged;

import org.restheart.http.Request;

/// Explains how access rules decide about a request, without carrying it out. Thread-safe.
@FunctionalInterface
public interface Explanations {
    /// @param asking after authentication, with the caller about whom is asked; on a thread that may block
    /// @throws org.restheart.http.ProblemException 503 when that cannot be decided now
    AccessExplanation explain(Request asking, JudgedRequest request);
}
