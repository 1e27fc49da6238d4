package org.restheart.security.predicate;

/// A predicate that does not parse. The message says where and why; the text of the rule is the operator's, not a
/// client's.
public final class PredicateException extends Exception {
    private final int position;

    PredicateException(String why, int column) {
        super(why + " at column " + (column + 1), null, false, false);
        this.position = column;
    }

    /// The character of the text where it was noticed, from 0.
    public int position() {
        return position;
    }
}
