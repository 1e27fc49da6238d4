package org.restheart.mongo.write;

/// When a write must name the entity tag of what it changes, by kind of resource; collections and databases can say
/// otherwise in their properties.
public record EtagPolicies(EtagPolicy db, EtagPolicy collection, EtagPolicy document) {
    public static final EtagPolicies DEFAULT =
            new EtagPolicies(EtagPolicy.REQUIRED_FOR_DELETE, EtagPolicy.REQUIRED_FOR_DELETE, EtagPolicy.OPTIONAL);

    /// Whether `If-Match` has to be there.
    public enum EtagPolicy {
        REQUIRED,
        REQUIRED_FOR_DELETE,
        OPTIONAL
    }
}
