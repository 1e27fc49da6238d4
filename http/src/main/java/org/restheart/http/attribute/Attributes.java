package org.restheart.http.attribute;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Attributes that steps of the pipeline add to a request, by [Key]. Immutable: a linked list, newest first, because a
/// request has two or three of them.
public final class Attributes {
    public static final Attributes NONE = new Attributes(null, null, null);

    private final @Nullable Key<?> key;
    private final @Nullable Object value;
    private final @Nullable Attributes older;

    private Attributes(@Nullable Key<?> key, @Nullable Object value, @Nullable Attributes older) {
        this.key = key;
        this.value = value;
        this.older = older;
    }

    /// These attributes and one more, which hides an older one of the same key.
    public <T> Attributes with(Key<T> key, T value) {
        return new Attributes(key, value, this);
    }

    @SuppressWarnings("unchecked") // with() pairs a key only with a value of its type
    public <T> Optional<T> get(Key<T> key) {
        for (var at = this; at != null; at = at.older) {
            if (at.key == key) {
                return Optional.ofNullable((T) at.value);
            }
        }
        return Optional.empty();
    }
}
