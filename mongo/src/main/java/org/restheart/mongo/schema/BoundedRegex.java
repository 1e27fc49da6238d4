package org.restheart.mongo.schema;

import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;
import java.util.regex.Pattern;

/// A pattern with a bounded number of steps, of each text and of all texts of an evaluation. Thread-safe.
final class BoundedRegex implements RegularExpression {
    /// Bound of character accesses. Ordinary patterns access each character a few times.
    private static final long MAX_STEPS = 10_000_000;

    private final Pattern pattern;

    /// @throws java.util.regex.PatternSyntaxException for an invalid pattern
    BoundedRegex(String pattern) {
        this.pattern = Pattern.compile(RegularExpressions.replaceLongformCharacterProperties(
                RegularExpressions.replaceDollarAnchors(pattern)));
    }

    @Override
    public boolean matches(String value) {
        try {
            return pattern.matcher(new Counted(value, new Steps(Effort.current())))
                    .find();
        } catch (StackOverflowError _) { // repeated groups recurse
            throw new OutOfEffort();
        }
    }

    private static final class Steps {
        private static final int AT_ONCE = 1_024;

        private final Effort effort;
        private long count;

        Steps(Effort effort) {
            this.effort = effort;
        }

        void next() {
            if (++count > MAX_STEPS) {
                throw new OutOfEffort();
            }
            if (count % AT_ONCE == 0) {
                effort.spend(AT_ONCE);
            }
        }
    }

    /// @param steps the number of character accesses in all parts of the text
    private record Counted(CharSequence text, Steps steps) implements CharSequence {
        @Override
        public char charAt(int index) {
            steps.next();
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Counted(text.subSequence(start, end), steps);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
