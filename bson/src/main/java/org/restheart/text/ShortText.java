package org.restheart.text;

/// Bounds the length of texts that messages, logs and audits quote.
public final class ShortText {
    private ShortText() {}

    /// The text, or its beginning with an ellipsis.
    ///
    /// @param most characters without the ellipsis, at least 1; a pair of surrogates is not separated
    public static String of(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
        return text.substring(0, end) + "…";
    }
}
