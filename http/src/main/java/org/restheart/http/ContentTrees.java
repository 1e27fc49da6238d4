package org.restheart.http;

/// Admits the trees of objects that are made of a request's content, which take many times the memory of its bytes:
/// their values are counted before there is any of them.
public final class ContentTrees {
    public static final int MAX_VALUES = 100_000;

    /// Bytes for each value, about: a document with one field takes 200, a number 20.
    private static final long VALUE = 200;

    /// What everyday content has is not worth the counting.
    private static final int FEW = 64;

    private ContentTrees() {}

    /// Charges a tree to the caller of the request.
    ///
    /// @throws ProblemException 413 beyond [#MAX_VALUES]; 503 if the caller holds too much already
    public static void admit(Body body, long values) {
        if (values > MAX_VALUES) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TOO_LARGE,
                    "the content must not have more than about " + MAX_VALUES + " values here");
        }
        hold(body, values);
    }

    /// Charges a tree of any size to the caller of the request.
    ///
    /// @throws ProblemException 503 if the caller holds too much already
    public static void hold(Body body, long values) {
        if (values > FEW) {
            body.hold(values * VALUE);
        }
    }
}
