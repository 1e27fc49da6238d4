package org.restheart.security.predicate;

/// Text that bounds the steps of a regular expression, so that a client cannot occupy a thread with a value on which
/// the operator's expression backtracks.
final class SteppedText implements CharSequence {
    private static final int MAX_STEPS = 1_000_000;
    /// The engine recurses per repetition, so that a longer text could exhaust the stack.
    private static final int MAX_LENGTH = 2_048;

    private final String text;
    private int steps;

    /// @throws Unanswerable if the text is too long
    SteppedText(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new Unanswerable("text is too long for a regular expression");
        }
        this.text = text;
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        if (++steps > MAX_STEPS) {
            throw new Unanswerable("regular expression takes too many steps");
        }
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
