package org.restheart.core.config;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.json.JsonMapper;

/// JSON with single quotes, keys without quotes, comments and trailing commas.
final class RelaxedJson {
    private static final JsonMapper RELAXED = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES)
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .build();

    private RelaxedJson() {}

    /// The one value of an override.
    ///
    /// @throws ConfigException naming the path; the value itself may be a secret
    static @Nullable Object relaxed(String text, String path) {
        try {
            var tree = RELAXED.readTree(text);
            if (!tree.isMissingNode()) {
                return RELAXED.treeToValue(tree, Object.class);
            }
        } catch (JacksonException e) {
            // its message would quote the value
        }
        throw ConfigException.of("invalid override, value is not valid json: " + path
                + " (write true, false, a number, a \"text\" in quotes, [...] or {...})");
    }

    /// A file.
    ///
    /// @return null for an empty one
    /// @throws ConfigException with the position of the error
    static @Nullable Object file(String text, String name) {
        try {
            var tree = RELAXED.readTree(text);
            return tree.isMissingNode() ? null : RELAXED.treeToValue(tree, Object.class);
        } catch (JacksonException e) {
            var at = e.getLocation();
            throw ConfigException.of(name + " is not valid JSON"
                    + (at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr()));
        }
    }
}
