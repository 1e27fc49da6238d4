package org.restheart.http.attribute;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Attributes that steps of the pipeline add to a request, by [Key]. Immutable: a linked list, newest first, because a
/// request has about ten of them. Most that are asked for are not there, which a bit of their key tells.
public final class Attributes {
    public static final Attributes NONE = new Attributes(null, null, null);

    private final @Nullable Key<?> key;
    private final @Nullable Object value;
    private final @Nullable Attributes older;

    /// The bits of this key and of older ones.
    private final long bits;

    private Attributes(@Nullable Key<?> key, @Nullable Object value, @Nullable Attributes older) {
        this.key = key;
        this.value = value;
        this.older = older;
        this.bits = (key == null ? 0 : key.bit) | (older == null ? 0 : older.bits);
    }

    /// These attributes and one more, which hides an older one of the same key.
    public <T> Attributes with(Key<T> key, T value) {
        return new Attributes(key, value, this);
    }

    @SuppressWarnings("unchecked") // with() pairs a key only with a value of its type
    public <T> Optional<T> get(Key<T> key) {
        for (var at = this; at != null && (at.bits & key.bit) != 0; at = at.older) {
            if (at.key == key) {
                return Optional.ofNullable((T) at.value);
            }
        }
        return Optional.empty();
    }
}
